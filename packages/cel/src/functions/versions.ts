import { getErrorMessage, quote } from '@keelson/apimachinery'
import { CelError, noSuchOverload, OpaqueValue, toInt, createConversionError } from '../values/value.ts'
import type { Value } from '../values/value.ts'
import { adaptTypes } from './implementation.ts'
import type { Implementations } from './implementation.ts'

type PreRelease = bigint | string

/** A semantic version. Build metadata does not matter for comparisons. */
class Version extends OpaqueValue {
  readonly typeName = 'kubernetes.Semver'
  readonly numbers: readonly [major: bigint, minor: bigint, patch: bigint]
  readonly preRelease: readonly PreRelease[]
  /** The text of the version after normalization. */
  readonly text: string

  constructor(text: string, numbers: readonly [bigint, bigint, bigint], preRelease: readonly PreRelease[]) {
    super()
    this.text = text
    this.numbers = numbers
    this.preRelease = preRelease
  }

  override reread(): CelError {
    return createConversionError('semver.Version', this.text)
  }

  equals(other: Value): boolean | CelError {
    if (other instanceof CelError) return other
    return other instanceof Version ? this.compare(other) === 0 : noSuchOverload
  }

  compare(other: Version): number {
    for (const [i, number] of this.numbers.entries()) if (number !== other.numbers[i]) return number < other.numbers[i]! ? -1 : 1
    const [a, b] = [this.preRelease, other.preRelease]
    if (a.length === 0 || b.length === 0) return Math.sign(b.length - a.length)
    for (let i = 0; i < a.length && i < b.length; i++) {
      const order = comparePreRelease(a[i]!, b[i]!)
      if (order !== 0) return order
    }
    return Math.sign(a.length - b.length)
  }
}

/** Compares two pre-release identifiers. Numbers are lower than texts. */
function comparePreRelease(a: PreRelease, b: PreRelease): number {
  if (typeof a !== typeof b) return typeof a === 'bigint' ? -1 : 1
  return a < b ? -1 : a > b ? 1 : 0
}

function splitInThree(text: string): readonly string[] {
  const [first, second, ...rest] = text.split('.')
  return rest.length === 0 ? text.split('.') : [first!, second!, rest.join('.')]
}

function parseUint64(text: string): bigint {
  const createParseError = (reason: string): Error => new Error(`strconv.ParseUint: parsing ${quote(text)}: ${reason}`)
  if (text === '') throw createParseError('invalid syntax')
  const value = text.length > 20 ? 2n ** 64n : BigInt(text)
  if (value >= 2n ** 64n) throw createParseError('value out of range')
  return value
}

function parseNumber(text: string, name: string): bigint {
  if (!/^[0-9]*$/.test(text)) throw new Error(`Invalid character(s) found in ${name} number ${quote(text)}`)
  if (/^0./.test(text)) throw new Error(`${name[0]!.toUpperCase()}${name.slice(1)} number must not contain leading zeroes ${quote(text)}`)
  return parseUint64(text)
}

function parsePreRelease(text: string): PreRelease {
  if (text === '') throw new Error('Prerelease is empty')
  if (/^[0-9]+$/.test(text)) {
    if (/^0./.test(text)) throw new Error(`Numeric PreRelease version must not contain leading zeroes ${quote(text)}`)
    return parseUint64(text)
  }
  if (!/^[0-9A-Za-z-]+$/.test(text)) throw new Error(`Invalid character(s) found in prerelease ${quote(text)}`)
  return text
}

/** Parses a semantic version. Throws with the messages of the Go library that kube-apiserver uses. */
function parseVersion(text: string): Version {
  if (text === '') throw new Error('Version string empty')
  const numbers = splitInThree(text)
  if (numbers.length !== 3) throw new Error('No Major.Minor.Patch elements found')
  const major = parseNumber(numbers[0]!, 'major')
  const minor = parseNumber(numbers[1]!, 'minor')
  const [beforeBuild, build] = cut(numbers[2]!, '+')
  const [patchText, preReleaseText] = cut(beforeBuild, '-')
  const patch = parseNumber(patchText, 'patch')
  const preRelease = preReleaseText === undefined ? [] : preReleaseText.split('.').map(parsePreRelease)
  for (const part of build?.split('.') ?? []) {
    if (part === '') throw new Error('Build meta data is empty')
    if (!/^[0-9A-Za-z-]+$/.test(part)) throw new Error(`Invalid character(s) found in build meta data ${quote(part)}`)
  }
  return new Version(text, [major, minor, patch], preRelease)
}

function cut(text: string, separator: string): readonly [before: string, after: string | undefined] {
  const at = text.indexOf(separator)
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)]
}

/** Normalizes a version: adds missing numbers, removes leading zeros and a leading `v`. */
function normalize(text: string): string {
  const numbers = splitInThree(text.replace(/^v/, '')).map((part) => (part.length > 1 ? withoutZeros(part) : part))
  if (numbers.length < 3 && /[+-]/.test(numbers.at(-1)!)) throw new Error('short version cannot contain PreRelease/Build meta data')
  while (numbers.length < 3) numbers.push('0')
  return numbers.join('.')
}

function withoutZeros(part: string): string {
  const rest = part.replace(/^0+/, '')
  return /^[0-9]/.test(rest) ? rest : `0${rest}`
}

function parse(text: string, isNormalized = false): Version | CelError {
  try {
    return parseVersion(isNormalized ? normalize(text) : text)
  } catch (error) {
    return new CelError(getErrorMessage(error))
  }
}

function isVersion(text: string, isNormalized = false): boolean {
  return !(parse(text, isNormalized) instanceof CelError)
}

/** Semantic versions. */
export const versions: Implementations = {
  is_semver_string: adaptTypes(isVersion),
  is_semver_string_bool: adaptTypes(isVersion),
  semver_compare_to: adaptTypes((a: Version, b: Version) => a.compare(b)),
  semver_is_greater_than: adaptTypes((a: Version, b: Version) => a.compare(b) > 0),
  semver_is_less_than: adaptTypes((a: Version, b: Version) => a.compare(b) < 0),
  semver_major: adaptTypes(({ numbers }: Version) => toInt(BigInt.asIntN(64, numbers[0]))),
  semver_minor: adaptTypes(({ numbers }: Version) => toInt(BigInt.asIntN(64, numbers[1]))),
  semver_patch: adaptTypes(({ numbers }: Version) => toInt(BigInt.asIntN(64, numbers[2]))),
  string_bool_to_semver: adaptTypes(parse),
  string_to_semver: adaptTypes(parse),
}
