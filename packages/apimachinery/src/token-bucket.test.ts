import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { TokenBucket } from './token-bucket.ts'

it('starts full, and fills at its rate up to the burst', () => {
  const bucket = new TokenBucket({ qps: 2, burst: 2 }, 1000)
  const take = (now: number): boolean => bucket.take(now)
  expect([1000, 1000, 1000, 1499, 1500, 1500].map(take)).toEqual([true, true, false, false, true, false])
  expect([90_000, 90_000, 90_000].map(take)).toEqual([true, true, false])
})

it('adds nothing while the clock goes back', () => {
  const bucket = new TokenBucket({ qps: 1, burst: 1 }, 5000)
  expect([5000, 1000, 1500].map((now) => bucket.take(now))).toEqual([true, false, false])
})

it('reserves tokens one after another', () => {
  const bucket = new TokenBucket({ qps: 10, burst: 2 }, 0)
  expect([0, 0, 0, 0, 50].map((now) => bucket.reserve(now))).toEqual([0, 0, 100, 200, 250])
})

it('property: admits at most the burst and what the rate adds', () => {
  const rate = { qps: fc.integer({ min: 1, max: 100 }), burst: fc.integer({ min: 1, max: 20 }) }
  fc.assert(
    fc.property(fc.record(rate), fc.array(fc.integer({ min: 0, max: 500 }), { maxLength: 200 }), ({ qps, burst }, pauses) => {
      const bucket = new TokenBucket({ qps, burst }, 0)
      let now = 0
      let taken = 0
      for (const pause of pauses) if (bucket.take((now += pause))) taken++
      expect(taken).toBeLessThanOrEqual(burst + (now * qps) / 1000 + 1e-6)
    }),
  )
})
