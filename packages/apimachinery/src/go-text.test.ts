import { expect, test } from 'vitest'
import { goValue } from './go-text.ts'

test("formats decoded JSON like Go's fmt", () => {
  expect(goValue({ b: [1, 'x', null, true, 1.5], a: { d: {}, c: [] }, z: -0.00001 })).toBe(
    'map[a:map[c:[] d:map[]] b:[1 x <nil> true 1.5] z:-1e-05]',
  )
})
