import { expect, test } from 'vitest'
import { LogVerbosity } from './log-verbosity.ts'

test('includes messages up to its level', () => {
  const verbosity = new LogVerbosity(2)
  expect([0, 2, 3].map((level) => verbosity.includes(level, 'any'))).toEqual([true, true, false])
  expect([verbosity.logsSlowRequests, verbosity.logsRequests, verbosity.logsAllSteps]).toEqual([true, false, false])
})

test('raises the level of modules that match a pattern', () => {
  const verbosity = new LogVerbosity(0, [
    { pattern: 'http*', level: 3 },
    { pattern: 't?ace', level: 4 },
    { pattern: '*', level: 1 },
  ])
  expect(verbosity.logsRequests).toBe(true)
  expect(verbosity.logsAllSteps).toBe(true)
  expect(verbosity.includes(3, 'HTTP')).toBe(true)
  expect(verbosity.includes(4, 'HTTP')).toBe(false)
  expect(verbosity.includes(1, 'Start hook skipped')).toBe(true)
  expect(verbosity.includes(2, 'Start hook skipped')).toBe(false)
})

test('a module below the general level does not lower it', () => {
  const verbosity = new LogVerbosity(3, [{ pattern: 'httplog', level: 1 }])
  expect(verbosity.logsRequests).toBe(true)
})

test('changes its level, and refuses other texts with the words of Go', () => {
  const verbosity = new LogVerbosity(0)
  verbosity.set('3')
  expect(verbosity.logsRequests).toBe(true)
  expect(() => verbosity.set('x')).toThrow('strconv.ParseUint: parsing "x": invalid syntax')
  expect(() => verbosity.set('99999999999')).toThrow('strconv.ParseUint: parsing "99999999999": value out of range')
  expect(verbosity.logsRequests).toBe(true)
})
