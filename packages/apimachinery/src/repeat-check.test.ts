import { expect, it } from 'vitest'
import { repeatCheck } from './repeat-check.ts'

it('detects repeated values', () => {
  const isRepeated = repeatCheck<string>()
  expect(['a', 'b', 'a', '', 'a', ''].map(isRepeated)).toEqual([false, false, true, false, true, true])
})
