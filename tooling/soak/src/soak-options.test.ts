import { expect, test } from 'vitest'
import { help, parseSoakOptions } from './soak-options.ts'

test('parses the flags', () => {
  expect(parseSoakOptions([])).toEqual({ minutes: 30, rate: 1, whole: false, fresh: false })
  expect(parseSoakOptions(['--minutes', '6', '--rate=0.5', '--whole', '--fresh'])).toEqual({
    minutes: 6,
    rate: 0.5,
    whole: true,
    fresh: true,
  })
  expect(parseSoakOptions(['--help'])).toBe('help')
  for (const flag of ['--minutes', '--rate', '--whole', '--fresh']) expect(help).toContain(flag)
})

test.each([
  [['--minutes', 'many'], '--minutes must be a positive number, not "many"'],
  [['--rate', '0'], '--rate must be a positive number, not "0"'],
  [['--what'], "Unknown option '--what'"],
])('rejects %j', (args, message) => expect(() => parseSoakOptions(args)).toThrow(message))
