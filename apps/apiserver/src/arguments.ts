import { nearest } from './nearest.ts'
import type { FlagDefinition } from './flags.ts'
import { otherFlag } from './other-flags.ts'

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

/** `--name=value`, `--name value`, `--switch`, `--switch=false`, as the original's flags are written; `preset` stands for what is not given. Throws `UsageError`. */
export function parseArguments(
  argv: readonly string[],
  known: ReadonlyMap<string, FlagDefinition>,
  preset: Readonly<Record<string, unknown>> = {},
): ParsedArguments {
  const values: Record<string, unknown> = {}
  for (const [name, definition] of known) if (definition.default !== undefined) values[name] = definition.default
  Object.assign(values, preset)
  const given = new Set<string>()
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
    let text = match[2]
    if (definition === undefined) {
      const other = otherFlag(name)
      if (text === undefined && other !== undefined) text = other.isSwitch === true ? 'true' : argv[++i]
      acceptOther(name, text, known)
      continue
    }
    if (text === undefined) {
      if (definition.type.isSwitch === true) text = 'true'
      else if (i + 1 < argv.length) text = argv[++i]!
      else throw new UsageError(`--${name} needs a value: ${definition.help}`)
    }
    const value = readValue(name, definition, text)
    // A list that is given again goes on; the default is only for lists that were not given at all.
    values[name] = Array.isArray(value) && given.has(name) ? [...(values[name] as unknown[]), ...value] : value
    given.add(name)
  }
  return { help, version, values }
}

/** A flag that is not ours. Throws `UsageError` unless it is one of the original's and asks for what is done anyway. */
export function acceptOther(name: string, text: string | undefined, known: ReadonlyMap<string, FlagDefinition>): void {
  const other = otherFlag(name)
  if (other === undefined) throw new UsageError(unknownFlag(name, known))
  if (other.harmless?.test(text ?? '') !== true)
    throw new UsageError(`--${name} is a flag of kube-apiserver that is not here: ${other.because}`)
}

function unknownFlag(name: string, known: ReadonlyMap<string, FlagDefinition>): string {
  const guess = nearest(name, known.keys())
  return `unknown flag --${name}${guess === undefined ? ' (--help lists the flags)' : `; did you mean --${guess}?`}`
}

/** What the flag's type makes of the text. Throws `UsageError`. */
export function readValue(name: string, { type }: FlagDefinition, text: string): unknown {
  const read = type.schema.safeParse(text)
  if (read.success) return read.data
  throw new UsageError(`--${name}: ${JSON.stringify(text)} is not ${read.error.issues[0]?.message ?? 'understood'}`)
}
