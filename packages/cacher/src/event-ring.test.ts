import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { EventRing } from './event-ring.ts'

describe('EventRing', () => {
  test('grows while its events are recent, and shrinks when they are old', () => {
    const ring = new EventRing({ minimum: 4, maximum: 16, freshFor: 1000 })
    ring.reset(10)
    for (let i = 1; i <= 20; i++) ring.add({ revision: 10 + i, time: i })
    expect(ring.capacity).toBe(16)
    expect(ring.base).toBe(14)
    expect(ring.positionAfter(13)).toBeUndefined()
    expect(ring.at(ring.positionAfter(14)!)!.revision).toBe(15)
    for (let i = 21; i <= 60; i++) ring.add({ revision: 10 + i, time: i * 2000 })
    expect(ring.capacity).toBe(4)
    expect(ring.base).toBe(66)
  })

  test('keeps every event after `base`, and the position of an event does not change', () => {
    fc.assert(
      fc.property(fc.array(fc.record({ step: fc.integer({ min: 0, max: 2 }), wait: fc.nat(50) }), { maxLength: 300 }), (steps) => {
        const ring = new EventRing({ minimum: 3, maximum: 24, freshFor: 200 })
        const allEvents: { revision: number; time: number }[] = []
        let revision = 5
        let time = 0
        ring.reset(revision)
        for (const { step, wait } of steps) {
          allEvents.push({ revision: (revision += step), time: (time += wait) })
          ring.add(allEvents.at(-1)!)
          expect(ring.at(ring.end - 1)).toBe(allEvents.at(-1))
        }
        for (let after = ring.base; after <= revision; after++) {
          const firstPosition = ring.positionAfter(after)!
          const heldEvents = Array.from({ length: ring.end - firstPosition }, (_, i) => ring.at(firstPosition + i))
          expect(heldEvents).toEqual(allEvents.filter((e, i) => e.revision > after && i >= ring.start))
          if (after >= ring.base) expect(heldEvents).toEqual(allEvents.filter((e) => e.revision > after))
        }
      }),
    )
  })

  test('treats positions from before a reset as dropped', () => {
    const ring = new EventRing()
    ring.reset(1)
    ring.add({ revision: 2, time: 0 })
    const position = ring.positionAfter(1)!
    ring.reset(9)
    expect(position < ring.start).toBe(true)
    expect(ring.positionAfter(2)).toBeUndefined()
    expect(ring.positionAfter(9)).toBe(ring.end)
  })
})
