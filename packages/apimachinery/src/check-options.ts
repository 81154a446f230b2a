import { findClosestMatch } from './closest-match.ts'

/** Checks the value of one option. Returns its errors, one sentence each. `path` is the option's name in these sentences. */
export type OptionCheck = (value: unknown, path: string) => readonly string[]

/** The checks of all options in `T`. TypeScript reports an option without a check. */
export type OptionTable<T> = { readonly [Name in keyof T]-?: OptionCheck }

const listedNames = 12

/**
 * Returns the errors of options that may come from untyped JavaScript: unknown names and wrong types, also in nested objects. An option with the
 * value `undefined` counts as absent. Uses no schema library, because loading one takes a sixth of the server's start time.
 */
export function checkOptions<T extends object>(options: unknown, table: OptionTable<T>): readonly string[] {
  return isObjectOf(table)(options, '')
}

export function isObjectOf<T extends object>(table: OptionTable<T>): OptionCheck {
  const names = Object.keys(table)
  const checks: ReadonlyMap<string, OptionCheck> = new Map(Object.entries<OptionCheck>(table))
  return (value, path) => {
    if (!isPlain(value)) return [formatTypeError(path || 'options', 'an object', value)]
    const problems: string[] = []
    for (const [name, member] of Object.entries(value)) {
      const check = checks.get(name)
      if (check === undefined) problems.push(describeUnknownOption(path, name, names))
      else if (member !== undefined) problems.push(...check(member, join(path, name)))
    }
    for (const [name, check] of checks) if (isRequired(check) && value[name] === undefined) problems.push(`${join(path, name)} is missing`)
    return problems
  }
}

const requiredChecks = new WeakSet<OptionCheck>()
const isRequired = (check: OptionCheck): boolean => requiredChecks.has(check)

/** Returns a check that also rejects an absent option. */
export function requireOption(check: OptionCheck): OptionCheck {
  const checkMarked: OptionCheck = (value, path) => check(value, path)
  requiredChecks.add(checkMarked)
  return checkMarked
}

function checkType(expected: string, accepts: (value: unknown) => boolean): OptionCheck {
  return (value, path) => (accepts(value) ? [] : [formatTypeError(path, expected, value)])
}

export const isString: OptionCheck = checkType('a string', (value) => typeof value === 'string')
export const isBoolean: OptionCheck = checkType('true or false', (value) => typeof value === 'boolean')
export const isFunction: OptionCheck = checkType('a function', (value) => typeof value === 'function')
export const isRegExp: OptionCheck = checkType('a regular expression', (value) => value instanceof RegExp)
export const isAnything: OptionCheck = () => []

interface NumberLimits {
  readonly min?: number
  readonly max?: number
  readonly integer?: boolean
}

/** Returns a check for a number from `min` to `max`, inclusive. By default, any number that is not negative is valid. */
export function isNumber({ min = 0, max = Infinity, integer = false }: NumberLimits = {}): OptionCheck {
  const kind = integer ? 'an integer' : 'a number'
  const range = max === Infinity ? `no less than ${min}` : `from ${min} to ${max}`
  const fits = (value: unknown): boolean =>
    typeof value === 'number' && value >= min && value <= max && (!integer || Number.isInteger(value))
  return checkType(`${kind} ${range}`, fits)
}

/** Returns a check for one of the given strings. */
export function isOneOf(...texts: readonly string[]): OptionCheck {
  return checkType(texts.map((text) => JSON.stringify(text)).join(' or '), (value) => texts.includes(value as string))
}

export function isListOf(check: OptionCheck): OptionCheck {
  return (value, path) =>
    Array.isArray(value) ? value.flatMap((item, i) => check(item, `${path}[${i}]`)) : [formatTypeError(path, 'an array', value)]
}

/** Returns a check for an object with arbitrary member names, whose values pass `check`. */
export function isMapOf(check: OptionCheck): OptionCheck {
  return (value, path) =>
    isPlain(value)
      ? Object.entries(value).flatMap(([name, member]) => check(member, `${path}[${JSON.stringify(name)}]`))
      : [formatTypeError(path, 'an object', value)]
}

/** Returns a check for an object that has at least these methods. */
export function hasMethods(...names: readonly string[]): OptionCheck {
  const has = (value: unknown): boolean => names.every((name) => typeof (value as Record<string, unknown> | null)?.[name] === 'function')
  return checkType(`an object with ${names.map((name) => `${name}()`).join(' and ')}`, has)
}

function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function join(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`
}

function describeUnknownOption(path: string, name: string, names: readonly string[]): string {
  const guess = findClosestMatch(name, names)
  const allowed = names.length <= listedNames ? `; allowed: ${names.map((each) => JSON.stringify(join(path, each))).join(', ')}` : ''
  const hint = guess === undefined ? allowed : `; did you mean ${JSON.stringify(join(path, guess))}?`
  return `unknown option ${JSON.stringify(join(path, name))}${hint}`
}

function formatTypeError(path: string, expected: string, value: unknown): string {
  return `${path}: expected ${expected}, not ${describeValue(value)}`
}

function describeValue(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value)
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'function') return 'a function'
  return typeof value === 'object' && value !== null ? 'an object' : String(value)
}
