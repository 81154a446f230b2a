import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { StreamOrder } from './stream-order.ts'

const encodeLines = (versions: readonly (number | string)[]): Buffer =>
  Buffer.from(versions.map((v) => `{"type":"MODIFIED","object":{"metadata":{"name":"a","resourceVersion":"${v}"}}}\n`).join(''))

test('accepts increasing versions, however the bytes are split into chunks', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(100), { maxLength: 8 }), (cuts) => {
      const order = new StreamOrder()
      let rest = encodeLines([3, 7, 8, 12])
      for (const cut of cuts) {
        order.push(rest.subarray(0, cut))
        rest = rest.subarray(cut)
      }
      order.push(rest)
      expect([order.count, order.disorder]).toEqual([4, 0])
    }),
  )
})

test('detects a duplicate or late event, and an error', () => {
  for (const versions of [
    [3, 7, 7],
    [3, 7, 5],
    [3, 'expired', 9],
  ]) {
    const order = new StreamOrder()
    order.push(encodeLines(versions))
    expect(order.disorder).toBeGreaterThan(0)
  }
})
