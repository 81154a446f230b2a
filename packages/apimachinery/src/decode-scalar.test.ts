import { expect, test } from 'vitest'
import { convertInteger } from './decode-scalar.ts'

test.each([
  ['2147483648', 'int32', -2147483648n],
  ['-2147483649', 'int32', 2147483647n],
  ['9007199254740993', 'int32', 1n],
  ['4294967296', 'uint32', 0n],
  ['-1', 'uint32', 4294967295n],
  ['256', 'uint8', 0n],
  ['1.0', 'int32', 1n],
  ['1e3', 'int64', 1000n],
  ['1.5', 'int32', undefined],
  ['1e30', 'int32', 0n],
  ['1e30', 'int64', -(2n ** 63n)],
  ['9223372036854775808', 'int64', -(2n ** 63n)],
  ['9223372036854775807', 'int64', 2n ** 63n - 1n],
] as const)('%s as %s', (literal, kind, integer) => {
  expect(convertInteger(literal, kind)).toBe(integer)
})
