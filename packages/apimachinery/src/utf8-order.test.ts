import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { compareUtf8, hasUtf16Order } from './utf8-order.ts'

const text = fc
  .array(fc.constantFrom('a', 'b', '/', '\x7f', 'é', '\ud7ff', '\ue000', '\uffff', '\u{10000}', '\u{10ffff}', '\0'), { maxLength: 5 })
  .map((parts) => parts.join(''))

it('orders strings like their UTF-8 bytes', () => {
  fc.assert(
    fc.property(text, text, (a, b) => {
      expect(compareUtf8(a, b)).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)))
      if (hasUtf16Order(a)) expect(a < b).toBe(compareUtf8(a, b) < 0)
    }),
  )
})
