import { isIP } from 'node:net'
// zod parses and checks the values of flags. `zod/mini` is its small variant, because every start loads it.
import * as z from 'zod/mini'
import type { ModuleVerbosity } from './log-verbosity.ts'

/** The syntax of a flag on the command line, and the type of its value. */
export interface FlagType<T> {
  /** Schema that parses the text on the command line. The message of its first issue describes the expected format. */
  readonly schema: z.ZodMiniType<T, string>
  /** Placeholder for the value in --help. */
  readonly placeholder: string
  /** True if the flag is a switch: its name without a value means true. */
  readonly isSwitch?: boolean
  /** Completions of the value in shells: a list of texts, or paths. Default: no completions. */
  readonly completions?: readonly string[] | 'file' | 'directory'
  /** Formats a value for --help. Default: the value is shown unchanged. */
  readonly show?: (value: T) => string
}

/**
 * Definition of a command-line flag. The program has its own parser, because it must follow kube-apiserver's rules: how values and repeated
 * flags are read, which unsupported flags are accepted, and messages that list the allowed values. Libraries (commander, util.parseArgs)
 * have other rules and messages.
 */
export interface FlagDefinition<T = unknown> {
  /** Heading in --help under which the flag is listed. */
  readonly group: string
  readonly type: FlagType<T>
  readonly default?: T
  readonly help: string
}

type ValueOf<F> = F extends { readonly type: FlagType<infer T> } ? T : never
type WithDefault<Table> = { [K in keyof Table]: Table[K] extends { readonly default: unknown } ? K : never }[keyof Table]

/** Values of all flags in a table. Flags with a default are always present. */
export type FlagValuesOf<Table> = { readonly [K in WithDefault<Table>]: ValueOf<Table[K]> } & {
  readonly [K in Exclude<keyof Table, WithDefault<Table>>]?: ValueOf<Table[K]>
}

export function createTextType(): FlagType<string> {
  return { schema: z.string(), placeholder: 'string' }
}

export function createFileType(): FlagType<string> {
  return { ...createTextType(), completions: 'file' }
}

export function createFilesType(): FlagType<readonly string[]> {
  return { ...list(), completions: 'file' }
}

export function createDirectoryType(): FlagType<string> {
  return { ...createPatternType(/./, 'a directory'), completions: 'directory' }
}

export function createPatternType(pattern: RegExp, meaning: string): FlagType<string> {
  return { schema: z.string().check(z.regex(pattern, meaning)), placeholder: 'string' }
}

export function createIpAddressType(): FlagType<string> {
  return { schema: z.string().check(z.refine((written) => isIP(written) !== 0, 'an IP address')), placeholder: 'string' }
}

export function createChoiceType<const T extends readonly [string, ...string[]]>(...choices: T): FlagType<T[number]> {
  return { schema: z.enum(choices, `one of ${choices.join(', ')}`), placeholder: choices.join('|'), completions: choices }
}

export function list(): FlagType<readonly string[]> {
  return {
    schema: z.pipe(
      z.string(),
      z.transform((written: string): readonly string[] => written.split(',').filter((part) => part !== '')),
    ),
    placeholder: 'strings',
    show: (value) => value.join(','),
  }
}

/** Creates a flag type for a list whose elements come from a fixed set. */
export function listFrom<const T extends readonly [string, ...string[]]>(...choices: T): FlagType<readonly T[number][]> {
  const expected = `a list of ${choices.join(', ')}`
  return {
    schema: z.pipe(z.pipe(z.string(), z.transform(parseList)), z.array(z.enum(choices, expected))),
    placeholder: 'strings',
    show: (value) => value.join(','),
    completions: choices,
  }
}

function parseList(written: string): readonly string[] {
  return written.split(',').filter((part) => part !== '')
}

/**
 * Creates a flag type for pairs whose texts may contain commas. One pair is written as it is: `a,b=c,d`. Several pairs are written in quotes:
 * `"a,b=c,d","e,f=g"`. Repeated flags are appended.
 */
export function createQuotedPairsType(): FlagType<readonly (readonly [string, string])[]> {
  return {
    schema: z.pipe(
      z.string().check(z.refine((written) => splitPairs(written).every((pair) => /^[^=]+=/.test(pair)), 'pairs like "a,b=c,d","e,f=g"')),
      z.transform((written: string) =>
        splitPairs(written).map((pair) => {
          const at = pair.indexOf('=')
          return [pair.slice(0, at), pair.slice(at + 1)] as const
        }),
      ),
    ),
    placeholder: 'mapStringString',
    show: (value) => value.map(([key, text]) => JSON.stringify(`${key}=${text}`)).join(','),
  }
}

function splitPairs(written: string): readonly string[] {
  if (written.indexOf('=') === written.lastIndexOf('=')) return [written.replace(/^"|"$/g, '')]
  const fields = written.match(/("(?:[^"]|"")*"|[^",]*)(?=,|$)/gy) ?? []
  return fields.filter((field) => field !== '').map((field) => (field.startsWith('"') ? field.slice(1, -1).replaceAll('""', '"') : field))
}

/** Creates a flag type for verbosities of modules, such as `httplog=3,trace*=4`. */
export function createModulesType(): FlagType<readonly ModuleVerbosity[]> {
  return {
    schema: z.pipe(
      z.string().check(z.regex(/^([^=,]+=\d{1,9}(,|$))*$/, 'a list like httplog=3,trace=4')),
      z.transform((written: string) =>
        parseList(written).map((pair): ModuleVerbosity => {
          const [pattern = '', level] = pair.split('=')
          return { pattern, level: Number(level) }
        }),
      ),
    ),
    placeholder: 'pattern=N,...',
    show: (value) => value.map(({ pattern, level }) => `${pattern}=${level}`).join(','),
  }
}

/** Creates a flag type for pairs such as `key=value`. The value may contain any characters. Repeated flags are appended. */
export function createPairsType(): FlagType<readonly (readonly [string, string])[]> {
  return {
    schema: z.pipe(
      z.string().check(z.regex(/^[^=]+=/, 'a pair like key=value')),
      z.transform((written: string) => {
        const at = written.indexOf('=')
        return [[written.slice(0, at).trim(), written.slice(at + 1).trim()] as const]
      }),
    ),
    placeholder: 'mapStringString',
    show: (value) => value.map(([key, text]) => `${key}=${text}`).join(','),
  }
}

/**
 * Creates a flag type for lists of booleans such as `apps/v1=false,api/beta=true`. The value is a list of pairs. Repeated flags are
 * appended.
 */
export function createSwitchesType(): FlagType<readonly (readonly [string, boolean])[]> {
  return {
    schema: z.pipe(
      z.string().check(z.regex(/^([^=,]+=(true|false)(,|$))*$/, 'a list like apps/v1=false,api/beta=true')),
      z.transform((written: string) =>
        parseList(written).map((pair) => {
          const [name = '', on] = pair.split('=')
          return [name, on === 'true'] as const
        }),
      ),
    ),
    placeholder: 'mapStringBool',
    show: (value) => value.map(([name, on]) => `${name}=${on}`).join(','),
  }
}

export interface NamedCertificateFlag {
  readonly certificateFile: string
  readonly keyFile: string
  readonly names: readonly string[]
}

/** Creates a flag type for certificates such as `a.crt,a.key:*.example.com,example.com`. The flag is repeated for each certificate. */
export function createNamedCertificatesType(): FlagType<readonly NamedCertificateFlag[]> {
  return {
    schema: z.pipe(
      z.string().check(z.regex(/^[^,:]+,[^,:]+(:[^,:]+(,[^,:]+)*)?$/, 'a pair of files like foo.crt,foo.key:*.foo.com,foo.com')),
      z.transform((written: string) => {
        const [files = '', names = ''] = written.split(':')
        const [certificateFile = '', keyFile = ''] = files.split(',')
        return [{ certificateFile, keyFile, names: names.split(',').filter((name) => name !== '') }]
      }),
    ),
    placeholder: 'certFile,keyFile[:names]',
    show: (value) =>
      value
        .map(({ certificateFile, keyFile, names }) => `${certificateFile},${keyFile}${names.length === 0 ? '' : `:${names.join(',')}`}`)
        .join(' '),
  }
}

/** Creates a flag type for sizes by resource, such as `pods#0,deployments.apps#100`. */
export function createResourceSizesType(): FlagType<Readonly<Record<string, number>>> {
  return {
    schema: z.pipe(
      z.string().check(z.regex(/^([^#,]+#\d{1,9}(,|$))*$/, 'a list like pods#0,deployments.apps#100')),
      z.transform((written: string) =>
        Object.fromEntries(
          parseList(written).map((pair) => {
            const [name = '', size] = pair.split('#')
            return [name, Number(size)]
          }),
        ),
      ),
    ),
    placeholder: 'strings',
    show: (value) =>
      Object.entries(value)
        .map(([name, size]) => `${name}#${size}`)
        .join(','),
  }
}

export function onOff(): FlagType<boolean> {
  return {
    schema: z.pipe(
      z.string().check(z.regex(/^(true|false|1|0|t|f)$/i, 'true or false')),
      z.transform((written: string) => /^(true|1|t)$/i.test(written)),
    ),
    placeholder: '',
    isSwitch: true,
    completions: ['true', 'false'],
  }
}

/** Creates a flag type for a number that is not negative. Default of the maximum: none. */
export function createNumberType({ maximum }: { readonly maximum?: number } = {}): FlagType<number> {
  const expected = maximum === undefined ? 'a number of at least 0' : `a number from 0 to ${maximum}`
  return {
    schema: z.pipe(
      z.string().check(z.regex(/^(?:\d+(?:\.\d+)?|\.\d+)$/, expected)),
      z.pipe(z.transform(Number), z.number().check(z.lte(maximum ?? Number.POSITIVE_INFINITY, expected))),
    ),
    placeholder: 'float',
  }
}

export function createIntegerType(bounds: { readonly minimum?: number; readonly maximum?: number } = {}): FlagType<number> {
  const { minimum = 0, maximum = Number.MAX_SAFE_INTEGER } = bounds
  const expected = bounds.maximum === undefined ? `a whole number of at least ${minimum}` : `a whole number from ${minimum} to ${maximum}`
  return {
    schema: z.pipe(
      z.string().check(z.regex(/^-?\d+$/, expected)),
      z.pipe(z.transform(Number), z.number().check(z.gte(minimum, expected), z.lte(maximum, expected))),
    ),
    placeholder: 'int',
  }
}

const units: Readonly<Record<string, number>> = { ns: 1e-6, us: 1e-3, µs: 1e-3, ms: 1, s: 1000, m: 60_000, h: 3_600_000 }

/** Creates a flag type for a duration in Go's notation. The value is in milliseconds. */
export function createDurationType(): FlagType<number> {
  return {
    schema: z.pipe(
      z.string().check(z.regex(/^(0|(\d+(\.\d+)?(ns|us|µs|ms|s|m|h))+)$/, 'a duration like 90s, 1m30s or 2h')),
      z.transform(parseMilliseconds),
    ),
    placeholder: 'duration',
    show: (value) => `${value / 1000}s`,
  }
}

function parseMilliseconds(written: string): number {
  let total = 0
  for (const [, amount, unit] of written.matchAll(/(\d+(?:\.\d+)?)(ns|us|µs|ms|s|m|h)/gy)) total += Number(amount) * units[unit!]!
  return total
}
