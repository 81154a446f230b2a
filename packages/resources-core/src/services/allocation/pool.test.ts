import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { IPPool } from './ip-pool.ts'
import { bandOf, Pool } from './pool.ts'
import { parsePortRange, PortPool } from './port-pool.ts'

const lowest = (): number => 0

describe('a pool', () => {
  it('never gives a number to two owners, and gives again what was released', () => {
    const step = fc.record({
      owner: fc.constantFrom('a', 'b', 'c'),
      number: fc.nat(11),
      act: fc.constantFrom('take', 'takeAny', 'takeAny', 'release'),
      random: fc.nat(1000),
    })
    fc.assert(
      fc.property(fc.nat(12), fc.array(step, { maxLength: 60 }), (band, steps) => {
        let random = 0
        const pool = new Pool({ size: 12, band }, (below) => random % below)
        const model = new Map<number, string>()
        for (const { owner, number, act, ...rest } of steps) {
          random = rest.random
          if (act === 'take') {
            expect(pool.take(number, owner)).toBe(!model.has(number))
            if (!model.has(number)) model.set(number, owner)
          } else if (act === 'takeAny') {
            const taken = pool.takeAny(owner)
            if (model.size === 12) expect(taken).toBeUndefined()
            else {
              expect(model.has(taken!)).toBe(false)
              const upperFree = Array.from({ length: 12 - band }, (_, i) => band + i).some((above) => !model.has(above))
              expect(taken! >= band).toBe(upperFree)
              model.set(taken!, owner)
            }
          } else {
            pool.release(number, owner)
            if (model.get(number) === owner) model.delete(number)
          }
        }
        for (let number = 0; number < 12; number++) expect(pool.has(number)).toBe(model.has(number))
      }),
    )
  })

  it.each([
    [16, 0],
    [17, 16],
    [256, 16],
    [1024, 64],
    [65_536, 256],
  ])('of %i addresses keeps %i for those who ask by number', (size, band) => {
    expect(bandOf(size, { least: 16, most: 256, part: 16 })).toBe(band)
  })
})

describe('cluster addresses', () => {
  const poolOf = (range: string, reserveFirst = true): IPPool => new IPPool(range, { random: lowest, reserveFirst })

  it('come from above the band, and leave out network and broadcast', () => {
    const pool = poolOf('10.0.0.0/24')
    expect(pool.takeAny('a')).toBe('10.0.0.17')
    expect(pool.take('10.0.0.254', 'a')).toBeUndefined()
    for (const ip of ['10.0.0.0', '10.0.0.255', '10.0.1.1', 'fd00::1'])
      expect(pool.take(ip, 'a')).toBe('the provided network does not match the current range')
    expect(pool.tryTake('10.0.0.255')).toBe('the provided IP (10.0.0.255) is not in the valid range. The range of valid IPs is 10.0.0.0/24')
    expect(pool.placeholder).toBe('10.0.0.0')
  })

  it('are all given once, but the first', () => {
    const pool = poolOf('10.0.0.0/28')
    const all = Array.from({ length: 13 }, (_, i) => pool.takeAny(String(i)))
    expect(new Set(all)).toEqual(new Set(Array.from({ length: 13 }, (_, i) => `10.0.0.${i + 2}`)))
    expect(pool.takeAny('late')).toBeUndefined()
    pool.release('10.0.0.9', 'someone else')
    expect(pool.takeAny('late')).toBeUndefined()
    pool.release('10.0.0.9', String(all.indexOf('10.0.0.9')))
    expect(pool.takeAny('late')).toBe('10.0.0.9')
  })

  it('the first is the API server’s', () => {
    const pool = poolOf('10.0.0.0/24')
    expect(pool.take('10.0.0.1', 'a')).toBe('provided IP is already allocated')
    expect(pool.take('10.0.0.1', 'own', true)).toBeUndefined()
    expect(pool.take('10.0.0.1', 'own again', true)).toBe('provided IP is already allocated')
    pool.release('10.0.0.1', 'own')
    expect(pool.take('10.0.0.1', 'a')).toBe('provided IP is already allocated')
    expect(pool.take('10.0.0.1', 'own again', true)).toBeUndefined()
  })

  it('may be IPv6', () => {
    const pool = poolOf('fd00:10::/64', false)
    expect(pool.family).toBe('IPv6')
    expect(pool.takeAny('a')).toBe('fd00:10::101')
    expect(pool.take('fd00:10:0:0::101', 'b')).toBe('provided IP is already allocated')
    expect(pool.take('fd00:10::1', 'b')).toBeUndefined()
  })

  it.each(['10.0.0.0', '10.0.0.0/31', 'fd00::/63', '10.0.0.0/33', ''])('cannot come from %j', (range) => {
    expect(() => poolOf(range)).toThrow()
  })
})

describe('node ports', () => {
  it('come from above the band', () => {
    const pool = new PortPool(parsePortRange('30000-32767'), lowest)
    expect(pool.takeAny('a')).toBe(30_086)
    expect(pool.take(30_086, 'b')).toBe('provided port is already allocated')
    expect(pool.take(80, 'b')).toBe('provided port is not in the valid range. The range of valid ports is 30000-32767')
    pool.release(30_086, 'a')
    expect(pool.has(30_086)).toBe(false)
  })

  it('are written as a range', () => {
    expect(parsePortRange('30000+10')).toEqual({ first: 30_000, last: 30_010 })
    expect(parsePortRange(' 80 ')).toEqual({ first: 80, last: 80 })
    for (const wrong of ['', 'a-b', '3-2', '1-70000', '1-2-3']) expect(() => parsePortRange(wrong)).toThrow()
  })
})
