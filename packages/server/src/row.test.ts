import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { Row } from './row.ts'
import type { Place } from './row.ts'

test('a row is what a list would be', () => {
  fc.assert(
    fc.property(fc.array(fc.option(fc.nat(20), { nil: undefined })), (steps) => {
      const row = new Row<number>()
      const places: Place<number>[] = []
      let expected: number[] = []
      steps.forEach((leaves, step) => {
        if (leaves === undefined || places.length === 0) {
          places.push(row.add(step))
          expected.push(step)
        } else {
          const place = places[leaves % places.length]!
          row.remove(place)
          expected = expected.filter((value) => value !== place.value)
        }
        expect([...row]).toEqual(expected)
        expect(row.first?.value).toBe(expected[0])
      })
    }),
  )
})
