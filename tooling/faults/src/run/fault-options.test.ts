import { expect, test } from 'vitest'
import { scenarios } from '../scenarios/index.ts'
import { formatHelp, parseFaultOptions } from './fault-options.ts'
import type { FaultOptions } from './fault-options.ts'

function parse(...args: string[]): FaultOptions {
  const options = parseFaultOptions(args, scenarios)
  if (options === 'help') throw new Error('unexpected --help')
  return options
}

test('runs the selected scenarios', () => {
  expect(parse('--only', 'kill-embedded', '--rounds', '1').parts).toMatchObject([{ scenario: { name: 'kill-embedded' }, rounds: 1 }])
  expect(parse('--short', '--fresh')).toMatchObject({ resume: false, fresh: true })
  const shares = ['1/2', '2/2'].flatMap((part) => parse('--part', part).parts)
  expect(new Set(shares.map(({ id }) => id))).toEqual(new Set(parse().parts.map(({ id }) => id)))
})

test.each([
  [['--only', 'cats'], 'no scenario matches cats'],
  [['--part', '3/2'], '--part must be N/M'],
  [['--rounds', 'many'], '--rounds must be a positive integer, not "many"'],
  [['--what'], "Unknown option '--what'"],
])('rejects %j', (args, message) => expect(() => parse(...args)).toThrow(message))

test('lists all flags and scenarios with --help', () => {
  expect(parseFaultOptions(['--help'], scenarios)).toBe('help')
  for (const { name } of scenarios) expect(formatHelp(scenarios)).toContain(name)
})
