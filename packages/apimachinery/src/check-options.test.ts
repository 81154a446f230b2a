import { expect, test } from 'vitest'
import {
  hasMethods,
  isAnything,
  isBoolean,
  isFunction,
  isNumber,
  isOneOf,
  isRegExp,
  isString,
  isListOf,
  isMapOf,
  isObjectOf,
  checkOptions,
  requireOption,
} from './check-options.ts'
import type { OptionTable } from './check-options.ts'

interface Options {
  readonly storage?: { readonly dataDir?: string; readonly type?: string }
  readonly port?: number
  readonly http2?: boolean
  readonly kind?: 'a' | 'b'
  readonly origins?: readonly RegExp[]
  readonly gates?: Readonly<Record<string, boolean>>
  readonly log?: () => void
  readonly clock: object
  readonly other?: unknown
}

const table: OptionTable<Options> = {
  storage: isObjectOf<NonNullable<Options['storage']>>({ dataDir: isString, type: isString }),
  port: isNumber({ max: 65_535, integer: true }),
  http2: isBoolean,
  kind: isOneOf('a', 'b'),
  origins: isListOf(isRegExp),
  gates: isMapOf(isBoolean),
  log: isFunction,
  clock: requireOption(hasMethods('now', 'after')),
  other: isAnything,
}
const clock = { now: () => 0, after: () => {} }
const listProblems = (options: object): readonly string[] => checkOptions<Options>({ clock, ...options }, table)

test('accepts valid options', () => {
  const gates = { A: true }
  expect(listProblems({ storage: { dataDir: '/x' }, port: 0, http2: false, kind: 'b', origins: [/a/], gates, log: () => {} })).toEqual([])
  expect(listProblems({ port: undefined, storage: {}, other: null })).toEqual([])
})

test.each<[object, string]>([
  [{ storag: {} }, 'unknown option "storag"; did you mean "storage"?'],
  [{ storage: { dataDri: '' } }, 'unknown option "storage.dataDri"; did you mean "storage.dataDir"?'],
  [{ storage: { x: '' } }, 'unknown option "storage.x"; allowed: "storage.dataDir", "storage.type"'],
  [{ ['__proto__x']: 1, storage: '' }, 'storage: expected an object, not ""'],
  [{ storage: null }, 'storage: expected an object, not null'],
  [{ port: 'abc' }, 'port: expected an integer from 0 to 65535, not "abc"'],
  [{ port: 1.5 }, 'port: expected an integer from 0 to 65535, not 1.5'],
  [{ port: Number.NaN }, 'port: expected an integer from 0 to 65535, not NaN'],
  [{ http2: 'yes' }, 'http2: expected true or false, not "yes"'],
  [{ kind: 'c' }, 'kind: expected "a" or "b", not "c"'],
  [{ origins: [/a/, 'b'] }, 'origins[1]: expected a regular expression, not "b"'],
  [{ origins: /a/ }, 'origins: expected an array, not an object'],
  [{ gates: { A: 'true' } }, 'gates["A"]: expected true or false, not "true"'],
  [{ log: {} }, 'log: expected a function, not an object'],
  [{ clock: { now: 1 } }, 'clock: expected an object with now() and after(), not an object'],
  [{ clock: undefined }, 'clock is missing'],
])('reports errors: %o', (options, problem) => {
  expect(listProblems(options)).toContain(problem)
})

test('rejects options that are not an object', () => {
  expect(checkOptions('x', table)).toEqual(['options: expected an object, not "x"'])
})
