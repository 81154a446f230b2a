import { createManualClock } from '@keelson/apimachinery/testing'
import { expect, test } from 'vitest'
import { SeatDemand } from './seat-demand.ts'

test('weights values by the time that they lasted', () => {
  const clock = createManualClock()
  const demand = new SeatDemand(clock.now)
  expect(demand.read()).toEqual({ milliseconds: 0, average: NaN, deviation: NaN, min: 0, max: 0 })
  demand.set(2, clock.now())
  clock.advance(1000)
  demand.set(6, clock.now())
  clock.advance(3000)
  expect(demand.read()).toEqual({ milliseconds: 4000, average: 5, deviation: Math.sqrt(3), min: 0, max: 6 })
})

test('starts again with the current value after a reset', () => {
  const clock = createManualClock()
  const demand = new SeatDemand(clock.now)
  demand.set(5, clock.now())
  clock.advance(10)
  demand.set(3, clock.now())
  expect(demand.reset()).toEqual({ milliseconds: 10, average: 5, deviation: 0, min: 0, max: 5 })
  clock.advance(10)
  expect(demand.reset()).toEqual({ milliseconds: 10, average: 3, deviation: 0, min: 3, max: 3 })
})
