import type { FlagDefinition } from './flag-types.ts'
import { suggestFlag } from './guesses.ts'
import { findOtherFlag } from './other-flags.ts'

export const shells = ['bash', 'zsh', 'fish', 'powershell'] as const
export type Shell = (typeof shells)[number]

const commands = ['completion', 'help', 'kubeconfig', 'version']

export interface ParsedArguments {
  /** Command to run. Undefined: start the server. */
  readonly command: 'completion' | 'help' | 'version' | 'raw version' | undefined
  /** Shell that is the argument of the command `completion`. */
  readonly shell: Shell | undefined
  /** Values of all flags by name, including defaults. Flags without a value and without a default are absent. */
  readonly values: Readonly<Record<string, unknown>>
  /** All problems of the arguments, one sentence each. */
  readonly problems: readonly string[]
}

/** Flags from a configuration file: their values, and the problems of the file. */
export interface FlagPreset {
  readonly values: Readonly<Record<string, unknown>>
  readonly problems: readonly string[]
}

/**
 * Parses command-line arguments like kube-apiserver: `--name=value`, `--name value`, `--switch` and `--switch=false`. Values of `preset`
 * apply to flags that are not on the command line. A flag with an invalid value keeps its default, so that the other flags can be checked
 * too.
 */
export function parseArguments(
  argv: readonly string[],
  knownFlags: ReadonlyMap<string, FlagDefinition>,
  preset: FlagPreset = { values: {}, problems: [] },
): ParsedArguments {
  const values: Record<string, unknown> = {}
  for (const [name, definition] of knownFlags) if (definition.default !== undefined) values[name] = definition.default
  Object.assign(values, preset.values)
  const setFlags = new Set<string>()
  const problems = [...preset.problems]
  let command = parseCommand(argv[0])
  const shell = command === 'completion' ? shells.find((name) => name === argv[1]) : undefined
  if (command === 'completion' && shell === undefined) problems.push(describeShellProblem(argv[1]))
  const first = command === undefined ? 0 : command === 'completion' ? 2 : 1
  for (let i = first; i < argv.length; i++) {
    const argument = argv[i]!
    if (argument === '-h' || argument === '--help') {
      command = 'help'
      continue
    }
    const match = /^(?:--|-(?=v(?:=|$)))([^=]+)(?:=(.*))?$/s.exec(argument)
    if (match === null) {
      problems.push(describeUnexpectedArgument(argument, argv[i - 1], knownFlags))
      continue
    }
    const name = match[1]!.replaceAll('_', '-')
    let text = match[2]
    if (name === 'version') {
      const requestedCommand = parseVersionCommand(text)
      if (requestedCommand === undefined) problems.push(`--version: ${JSON.stringify(text)} is not one of true, false, raw`)
      else if (requestedCommand !== 'none') command ??= requestedCommand
      continue
    }
    const definition = knownFlags.get(name)
    if (definition === undefined) {
      const unsupportedFlag = findOtherFlag(name)
      // Treats the word after an unknown flag as its value. Otherwise the word would be reported as a second problem.
      if (text === undefined && unsupportedFlag?.isSwitch !== true && argv[i + 1]?.startsWith('-') === false) text = argv[++i]
      else if (text === undefined && unsupportedFlag?.isSwitch === true) text = 'true'
      const problem = findOtherFlagProblem(name, text, knownFlags)
      if (problem !== undefined) problems.push(problem)
      continue
    }
    if (text === undefined) {
      if (definition.type.isSwitch === true) text = 'true'
      else if (i + 1 < argv.length) text = argv[++i]!
      else {
        problems.push(`--${name} needs a value: ${definition.help}`)
        continue
      }
    }
    const read = readValue(name, definition, text)
    if ('problem' in read) {
      problems.push(read.problem)
      continue
    }
    // Appends the values of a repeated list flag. The default applies only if the flag is absent.
    values[name] = Array.isArray(read.value) && setFlags.has(name) ? [...(values[name] as unknown[]), ...read.value] : read.value
    setFlags.add(name)
  }
  return { command, shell, values, problems }
}

function parseCommand(word: string | undefined): ParsedArguments['command'] {
  return word === 'completion' || word === 'help' || word === 'version' ? word : undefined
}

function describeShellProblem(word: string | undefined): string {
  const problem = word === undefined ? 'the shell is missing' : `${JSON.stringify(word)} is not a shell`
  return `completion: ${problem}; allowed are ${shells.join(', ')}`
}

/** Parses the flag `--version[=raw]` like kube-apiserver. */
function parseVersionCommand(text: string | undefined): 'version' | 'raw version' | 'none' | undefined {
  if (text === undefined || /^(true|t|1)$/i.test(text)) return 'version'
  if (text === 'raw') return 'raw version'
  return /^(false|f|0)$/i.test(text) ? 'none' : undefined
}

function describeUnexpectedArgument(argument: string, before: string | undefined, knownFlags: ReadonlyMap<string, FlagDefinition>): string {
  const isSwitch = before !== undefined && knownFlags.get(before.replace(/^--/, ''))?.type.isSwitch === true
  if (isSwitch && /^(true|false|t|f|1|0)$/i.test(argument)) {
    return `unexpected argument ${JSON.stringify(argument)}: a switch takes its value behind a "=": ${before}=${argument}`
  }
  const guess = argument.startsWith('-') ? suggestFlag(argument.split('=', 1)[0]!.replace(/^-+/, ''), knownFlags.keys()) : undefined
  if (guess !== undefined) return `unexpected argument ${JSON.stringify(argument)}; did you mean ${guess}?`
  return `unexpected argument ${JSON.stringify(argument)}: allowed are flags (--help lists them) and, first, one of ${commands.join(', ')}`
}

/**
 * Returns the reason why a flag is unsupported. Returns undefined if kube-apiserver has the flag and the value is the default behaviour.
 */
export function findOtherFlagProblem(
  name: string,
  text: string | undefined,
  knownFlags: ReadonlyMap<string, FlagDefinition>,
): string | undefined {
  const unsupportedFlag = findOtherFlag(name)
  if (unsupportedFlag !== undefined) {
    if (unsupportedFlag.harmless?.test(text ?? '') === true) return undefined
    return `--${name} is a flag of kube-apiserver that is not supported: ${unsupportedFlag.because}`
  }
  const guess = suggestFlag(name, knownFlags.keys())
  return `unknown flag --${name}${guess === undefined ? ' (--help lists the flags)' : `; did you mean ${guess}?`}`
}

/** Parses the text of a flag's value by the type of the flag. */
export function readValue(
  name: string,
  { type }: FlagDefinition,
  text: string,
): { readonly value: unknown } | { readonly problem: string } {
  const read = type.schema.safeParse(text)
  if (read.success) return { value: read.data }
  return { problem: `--${name}: ${JSON.stringify(text)} is not ${read.error.issues[0]?.message ?? 'understood'}` }
}
