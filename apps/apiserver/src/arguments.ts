import { nearest } from './nearest.ts'
import type { FlagDefinition } from './flags.ts'

/** What the user typed cannot be understood. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

export interface ParsedArguments {
  readonly help: boolean
  readonly version: boolean
  /** Every flag by its name, defaults filled in; absent where there is neither value nor default. */
  readonly values: Readonly<Record<string, unknown>>
}

/** `--name=value`, `--name value`, `--switch`, `--switch=false`, as the original's flags are written. Throws `UsageError`. */
export function parseArguments(argv: readonly string[], definitions: readonly FlagDefinition[]): ParsedArguments {
  const known = new Map(definitions.map((definition) => [definition.name, definition]))
  const values: Record<string, unknown> = {}
  for (const definition of definitions) if (definition.default !== undefined) values[definition.name] = definition.default
  let help = false
  let version = false
  for (let i = 0; i < argv.length; i++) {
    const argument = argv[i]!
    if (argument === '-h' || argument === '--help' || argument === 'help') {
      help = true
      continue
    }
    if (argument === '--version') {
      version = true
      continue
    }
    const match = /^(?:--|-(?=v(?:=|$)))([^=]*)(?:=(.*))?$/s.exec(argument)
    if (match === null) throw new UsageError(`unexpected argument ${JSON.stringify(argument)}: every option is a flag (--help lists them)`)
    const name = match[1]!.replaceAll('_', '-')
    const definition = known.get(name)
    if (definition === undefined) throw new UsageError(unknownFlag(match[1]!, known))
    let text = match[2]
    if (text === undefined) {
      if (definition.type === 'boolean') text = 'true'
      else if (i + 1 < argv.length) text = argv[++i]!
      else throw new UsageError(`--${name} needs a value: ${definition.help}`)
    }
    values[name] = readValue(definition, text)
  }
  return { help, version, values }
}

function unknownFlag(name: string, known: ReadonlyMap<string, FlagDefinition>): string {
  const guess = nearest(name, known.keys())
  return `unknown flag --${name}${guess === undefined ? ' (--help lists the flags)' : `; did you mean --${guess}?`}`
}

const units: Readonly<Record<string, number>> = { ns: 1e-6, us: 1e-3, µs: 1e-3, ms: 1, s: 1000, m: 60_000, h: 3_600_000 }

function readValue(definition: FlagDefinition, text: string): unknown {
  const wrong = (what: string): UsageError => new UsageError(`--${definition.name}: ${JSON.stringify(text)} is not ${what}`)
  switch (definition.type) {
    case 'boolean':
      if (!/^(true|false|1|0|t|f)$/i.test(text)) throw wrong('true or false')
      return /^(true|1|t)$/i.test(text)
    case 'integer': {
      const { minimum = 0, maximum = Number.MAX_SAFE_INTEGER } = definition
      const value = Number(text)
      if (!/^-?\d+$/.test(text) || value < minimum || value > maximum) {
        throw wrong(
          maximum === Number.MAX_SAFE_INTEGER ? `a whole number of at least ${minimum}` : `a whole number from ${minimum} to ${maximum}`,
        )
      }
      return value
    }
    case 'duration':
      return duration(text) ?? fail(wrong('a duration like 90s, 1m30s or 2h'))
    case 'list':
      return text.split(',').filter((part) => part !== '')
    case 'choice':
      if (!definition.choices!.includes(text)) throw wrong(`one of ${definition.choices!.join(', ')}`)
      return text
    case 'string':
      break
  }
  if (definition.check !== undefined && !definition.check.test(text)) throw wrong(definition.meaning!)
  return text
}

/** Milliseconds. */
function duration(text: string): number | undefined {
  if (text === '0') return 0
  if (!/^(\d+(\.\d+)?(ns|us|µs|ms|s|m|h))+$/.test(text)) return undefined
  let total = 0
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ns|us|µs|ms|s|m|h)/g)) total += Number(amount) * units[unit!]!
  return total
}

function fail(error: Error): never {
  throw error
}
