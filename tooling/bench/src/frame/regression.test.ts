import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { comparedRounds } from '../bench-options.ts'
import type { Figure } from './item.ts'
import { compareWithBase } from './regression.ts'

const busy = { serverCores: 1, clientCores: 0.5 }
const createFigure = (perSecond: number, serverCpu: number): Figure => ({ value: perSecond, serverCpu, ...busy })

test('detects a lower rate, a higher processor time and a longer duration', () => {
  const base = [1000, 900, 1100].map((n) => createFigure(n, 1))
  expect(compareWithBase('requests/s', base, base)).toEqual({ value: 1, cost: 1, regressed: false })
  const waits = [800, 720, 900].map((n) => createFigure(n, 1))
  expect(compareWithBase('requests/s', waits, base)).toMatchObject({ value: 0.8, regressed: true })
  const works = [1000, 900, 1100].map((n) => createFigure(n, 1.25))
  expect(compareWithBase('requests/s', works, base)).toMatchObject({ value: 1, cost: 0.8, regressed: true })
  expect(compareWithBase('s', [{ value: 3 }], [{ value: 2 }])).toMatchObject({ cost: undefined, regressed: true })
  expect(compareWithBase('s', [{ value: 2.2 }], [{ value: 2 }]).regressed).toBe(false)
})

test('reports no regression for a machine that gets slower or faster, or for one bad round', () => {
  fc.assert(
    fc.property(fc.array(fc.double({ min: 0.2, max: 5, noNaN: true }), { minLength: 3, maxLength: 9 }), (speeds) => {
      const rounds = speeds.map((speed) => createFigure(1000 * speed, 1 / speed))
      expect(compareWithBase('requests/s', rounds, rounds).regressed).toBe(false)
      const disturbed = rounds.map((round, i) => (i === 0 ? createFigure(round.value / 3, round.serverCpu! * 3) : round))
      expect(compareWithBase('requests/s', disturbed, rounds).regressed).toBe(false)
    }),
  )
})

/** Simulates rounds on a shared machine, with noise and a few outliers. The same seed gives the same rounds. */
function createScatteredFigures(speed: number, seed: number): Figure[] {
  let state = seed
  const next = (): number => {
    state = (state + 0x6d_2b_79_f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return Array.from({ length: comparedRounds }, () => {
    const normal = Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next())
    return { value: 1000 * speed * Math.exp(0.06 * normal) * (next() < 0.07 ? 0.5 : 1) }
  })
}

test('detects a loss of a fifth in noisy rounds, and accepts an unchanged server', () => {
  const countFailures = (speed: number): number =>
    Array.from({ length: 200 }, (_, i) =>
      compareWithBase('requests/s', createScatteredFigures(speed, i * 2), createScatteredFigures(1, i * 2 + 1)),
    ).filter(({ regressed }) => regressed).length
  expect(countFailures(0.8)).toBeGreaterThan(180)
  expect(countFailures(0.75)).toBeGreaterThan(198)
  expect(countFailures(1)).toBe(0)
  expect(countFailures(1.2)).toBe(0)
})
