import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { allocateSeats } from './allocate-seats.ts'
import type { SeatTarget } from './allocate-seats.ts'

describe('allocateSeats', () => {
  test.each<[title: string, total: number, demands: SeatTarget[], seats: number[], fraction: number]>([
    [
      'gives the same fraction to all',
      30,
      [createTarget(10, 0, 100), createTarget(20, 0, 100), createTarget(30, 0, 100)],
      [5, 10, 15],
      0.5,
    ],
    [
      'keeps lower bounds',
      20,
      [createTarget(10, 10, 100), createTarget(10, 2, 100), createTarget(20, 0, 100)],
      [10, 10 / 3, 20 / 3],
      1 / 3,
    ],
    ['keeps upper bounds', 60, [createTarget(10, 0, 5), createTarget(10, 0, 100), createTarget(20, 0, 100)], [5, 55 / 3, 110 / 3], 55 / 30],
    ['gives all lower bounds if there is no more', 12, [createTarget(10, 10, 20), createTarget(4, 2, 9)], [10, 2], 0.5],
    ['gives all upper bounds if there is so much', 29, [createTarget(10, 10, 20), createTarget(4, 2, 9)], [20, 9], 2.25],
    [
      'shares seats that nobody wants equally',
      9,
      [createTarget(0, 0, 100), createTarget(0, 0, 100), createTarget(0, 0, 100)],
      [3, 3, 3],
      3000,
    ],
    ['allocates nothing', 0, [createTarget(10, 0, 20), createTarget(0, 0, 9)], [0, 0], 0],
  ])('%s', (_title, total, demands, seats, fraction) => {
    const allocation = allocateSeats(total, demands)
    expect(allocation.seats.map(round)).toEqual(seats.map(round))
    expect(allocation.fairFraction).toBeCloseTo(fraction, 9)
  })

  test.each<[total: number, demands: SeatTarget[], message: string]>([
    [-1, [], 'cannot allocate -1 seats'],
    [5, [createTarget(6, 6, 7)], 'lower bounds sum to 6, which is more than the 5 seats to allocate'],
    [8, [createTarget(6, 6, 7)], 'upper bounds sum to 7, which is less than the 8 seats to allocate'],
    [5, [createTarget(6, -1, 7)], 'lower bound 0 is -1, which is negative'],
    [5, [createTarget(1, 2, 7)], 'target 0 is 1, which is less than its lower bound of 2'],
    [5, [createTarget(6, 6, 5)], 'upper bound 0 is 5, which is less than the lower bound 6'],
  ])('refuses %d seats for %j', (total, demands, message) => {
    expect(() => allocateSeats(total, demands)).toThrow(new RangeError(message))
  })

  test('the seats add up, keep the bounds, and differ from the fair fraction only at a bound', () => {
    const level = fc.tuple(fc.nat(500), fc.nat(500), fc.nat(500)).map((bounds) => {
      const [lower, target, upper] = bounds.toSorted((a, b) => a - b) as [number, number, number]
      // A target may be more than the upper bound.
      return bounds[0] % 2 === 0 ? createTarget(target, lower, upper) : createTarget(upper, lower, target)
    })
    fc.assert(
      fc.property(fc.array(level, { minLength: 1, maxLength: 12 }), fc.double({ min: 0, max: 1, noNaN: true }), (demands, place) => {
        const lowest = demands.reduce((total, { lowerBound }) => total + lowerBound, 0)
        const highest = demands.reduce((total, { upperBound }) => total + upperBound, 0)
        const total = Math.round(lowest + place * (highest - lowest))
        const { seats, fairFraction } = allocateSeats(total, demands)
        expect(seats.reduce((a, b) => a + b, 0)).toBeCloseTo(total, 5)
        for (const [i, { target, lowerBound, upperBound }] of demands.entries()) {
          const fair = fairFraction * Math.max(target, 0.001)
          const bounded = Math.max(lowerBound, Math.min(upperBound, fair))
          expect(seats[i]!).toBeGreaterThanOrEqual(lowerBound)
          expect(seats[i]!).toBeLessThanOrEqual(upperBound)
          if (total !== lowest && total !== highest) expect(seats[i]!).toBeCloseTo(bounded, 5)
        }
      }),
    )
  })
})

function createTarget(target: number, lowerBound: number, upperBound: number): SeatTarget {
  return { target, lowerBound, upperBound }
}

function round(value: number): number {
  return Math.round(value * 1e6) / 1e6
}
