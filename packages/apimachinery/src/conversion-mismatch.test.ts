import { expect, test } from 'vitest'
import { conversionMismatch } from './conversion-mismatch.ts'

test.each([
  [1, 'string', 'string', 'cannot convert int64 to string'],
  [1, 'v1.Protocol', 'string', 'cannot convert int64 to v1.Protocol'],
  [1.5, 'string', 'string', 'unrecognized type: string'],
  [1.5, 'int32', 'int32', 'cannot convert float64 to int32'],
  ['x', 'int32', 'int32', 'unrecognized type: int32'],
  [true, 'string', 'string', 'unrecognized type: string'],
  [1, 'bool', 'bool', 'unrecognized type: bool'],
  [[], 'map[string]string', 'map', 'cannot restore map from slice'],
  ['x', '[]v1.Container', 'slice', 'cannot restore slice from string'],
  [{}, 'string', 'string', 'unrecognized type: string'],
  [1, 'v1.PodSpec', 'struct', 'cannot restore struct from: int64'],
] as const)('%j as %s', (value, goType, kind, message) => {
  expect(conversionMismatch(value, goType, kind)).toBe(message)
})
