import { YamlError } from './yaml-error.ts'

/** Value of a YAML scalar: a JSON scalar, or a `bigint` for an integer that a double cannot represent. */
export type YamlScalar = null | boolean | number | bigint | string

type Kind = 'bool' | 'null' | 'float' | 'int' | 'str'
interface Resolved {
  readonly kind: Kind
  readonly value: YamlScalar
}

const words = new Map<string, Resolved>()
for (const [value, spellings] of [
  [true, 'y Y yes Yes YES true True TRUE on On ON'],
  [false, 'n N no No NO false False FALSE off Off OFF'],
] as const) {
  for (const word of spellings.split(' ')) words.set(word, { kind: 'bool', value })
}
for (const word of ['', '~', 'null', 'Null', 'NULL']) words.set(word, { kind: 'null', value: null })
for (const word of ['.nan', '.NaN', '.NAN']) words.set(word, { kind: 'float', value: Number.NaN })
for (const word of ['.inf', '.Inf', '.INF']) {
  words.set(word, { kind: 'float', value: Infinity })
  words.set(`+${word}`, { kind: 'float', value: Infinity })
  words.set(`-${word}`, { kind: 'float', value: -Infinity })
}

const tagPrefix = 'tag:yaml.org,2002:'
const kinds: ReadonlySet<string> = new Set(['str', 'bool', 'int', 'float', 'null', 'timestamp'])

/** Returns the value of a scalar that is plain or has a tag. With an unknown tag, the value is the text. */
export function resolveScalar(text: string, tag: string): YamlScalar {
  if (tag === '') return resolvePlain(text).value
  if (!tag.startsWith(tagPrefix)) return text
  const typeName = tag.slice(tagPrefix.length)
  if (typeName === 'binary') return decodeBinary(text)
  if (typeName === 'str' || !kinds.has(typeName)) return text
  const { kind, value } = resolvePlain(text)
  if (kind === typeName || (typeName === 'float' && kind === 'int')) return value
  if (typeName === 'timestamp' && timestampLike.test(text)) return text
  throw new YamlError(`cannot decode !!${kind} \`${text}\` as a !!${typeName}`)
}

/** Returns whether a YAML parser reads this text as a string even without quotes. */
export function readsAsString(text: string): boolean {
  return resolvePlain(text).kind === 'str' && !timestampLike.test(text)
}

/** Matches the dates that kube-apiserver's YAML parser recognizes. They are read as strings and written in quotes. */
const timestampLike =
  /^\d{4}-\d{1,2}-\d{1,2}(?:[Tt]\d{1,2}:\d{1,2}:\d{1,2}(?:[.,]\d+)?(?:Z|[+-]\d\d:\d\d)| \d{1,2}:\d{1,2}:\d{1,2}(?:[.,]\d+)?)?$/

function resolvePlain(text: string): Resolved {
  const word = words.get(text)
  if (word !== undefined) return word
  const first = text.charCodeAt(0)
  if (first === 0x2e) return resolveFloatOrString(text, /^\.[0-9]+(?:[eE][-+]?[0-9]+)?$/, text)
  if (first !== 0x2b && first !== 0x2d && (first < 0x30 || first > 0x39)) return { kind: 'str', value: text }
  const plain = text.replaceAll('_', '')
  const integer = parseInteger(plain)
  if (integer !== undefined) return { kind: 'int', value: integer }
  return resolveFloatOrString(plain, /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/, text)
}

function resolveFloatOrString(text: string, pattern: RegExp, original: string): Resolved {
  const value = pattern.test(text) ? Number(text) : Number.NaN
  return Number.isFinite(value) ? { kind: 'float', value } : { kind: 'str', value: original }
}

const integerForm = /^([-+]?)(?:0[xX]([0-9a-fA-F]+)|0[bB]([01]+)|0[oO]?([0-7]+)|([1-9][0-9]*|0))$/

/** Parses an integer like Go's ParseInt with base 0, then like ParseUint. An integer of more than 64 bits becomes a double. */
function parseInteger(text: string): number | bigint | undefined {
  const match = text.length > 100 ? null : integerForm.exec(text)
  if (match === null) return undefined
  const [, sign, hex, binary, octal, decimal] = match
  const magnitude = BigInt(
    hex !== undefined ? `0x${hex}` : binary !== undefined ? `0b${binary}` : octal !== undefined ? `0o${octal}` : decimal!,
  )
  const value = sign === '-' ? -magnitude : magnitude
  const fits = sign === '' ? value < 2n ** 64n : value >= -(2n ** 63n) && value < 2n ** 63n
  if (!fits) return undefined
  return Number.isSafeInteger(Number(value)) ? Number(value) : value
}

function decodeBinary(text: string): string {
  const stripped = text.replace(/[\r\n]/g, '')
  if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(stripped)) {
    throw new YamlError('!!binary value contains invalid base64 data')
  }
  return Buffer.from(stripped, 'base64').toString()
}
