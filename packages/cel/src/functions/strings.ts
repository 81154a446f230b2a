import { measureUtf8Bytes, shortEscapes } from '@keelson/apimachinery'
import { countCodePoints } from '../source.ts'
import { getElement, listSize } from '../values/list.ts'
import type { ListValue } from '../values/list.ts'
import { formatValue } from '../values/text.ts'
import { CelError } from '../values/value.ts'
import type { Int, Value } from '../values/value.ts'
import { formatString } from './format-string.ts'
import { adaptTypes } from './implementation.ts'
import type { Implementations } from './implementation.ts'

const surrogates = /[\ud800-\udfff]/

/** Returns the code points of a text. A text without surrogates is returned as it is. */
function splitIntoRunes(text: string): string | readonly string[] {
  return surrogates.test(text) ? [...text] : text
}

function joinRunes(runes: string | readonly string[]): string {
  return typeof runes === 'string' ? runes : runes.join('')
}

function createOutOfRangeError(index: Int): CelError {
  return new CelError(`index out of range: ${index}`)
}

function readCharacter(text: string, index: Int): Value {
  const length = countCodePoints(text)
  if (index < 0 || index > length) return createOutOfRangeError(index)
  const start = toUnitIndex(text, Number(index))
  return index === length ? '' : String.fromCodePoint(text.codePointAt(start)!)
}

/** Converts a position in code points to one in UTF-16 units. */
function toUnitIndex(text: string, runes: number): number {
  if (!surrogates.test(text)) return runes
  let at = 0
  for (let i = 0; i < runes; i++) at += text.codePointAt(at)! > 0xffff ? 2 : 1
  return at
}

function findIndex(text: string, part: string, offset: Int = 0): Value {
  if (part === '') return offset
  if (offset < 0) return createOutOfRangeError(offset)
  const runes = splitIntoRunes(text)
  if (offset >= runes.length) return -1
  if (typeof runes === 'string') return runes.indexOf(part, Number(offset))
  const unitOffset = joinRunes(runes.slice(0, Number(offset))).length
  return toRuneIndex(text, text.indexOf(part, unitOffset))
}

function findLastIndex(text: string, part: string, offset?: Int): Value {
  const runes = splitIntoRunes(text)
  if (part === '') return offset ?? runes.length
  if (offset === undefined) return runes.length === 0 ? -1 : toRuneIndex(text, text.lastIndexOf(part))
  if (offset < 0) return createOutOfRangeError(offset)
  if (offset >= runes.length) return -1
  if (typeof runes === 'string') return runes.lastIndexOf(part, Number(offset))
  const unitOffset = joinRunes(runes.slice(0, Number(offset))).length
  return toRuneIndex(text, text.lastIndexOf(part, unitOffset))
}

/** Converts a position in UTF-16 units to one in code points. */
function toRuneIndex(text: string, unitIndex: number): number {
  return unitIndex < 0 ? -1 : countCodePoints(text, 0, unitIndex)
}

function sliceText(text: string, start: Int, end?: Int): Value {
  const length = countCodePoints(text)
  if (end !== undefined && start > end) return new CelError(`invalid substring range. start: ${start}, end: ${end}`)
  if (start < 0 || start > length) return createOutOfRangeError(start)
  if (end !== undefined && (end < 0 || end > length)) return createOutOfRangeError(end)
  return text.slice(toUnitIndex(text, Number(start)), end === undefined ? undefined : toUnitIndex(text, Number(end)))
}

/** Maximum length of the result of `replace`. */
const maxTextLength = 1 << 28

function replace(text: string, old: string, replacement: string, limit: Int = -1): Value {
  if (limit === 0 || old === replacement) return text
  const pieces = splitAt(text, old, limit < 0 ? Infinity : Number(limit))
  if (text.length + pieces.length * replacement.length > maxTextLength) return new CelError('string is too long')
  return pieces.join(replacement)
}

/** Splits a text at most `limit` times. An empty separator matches before each character and at the end. */
function splitAt(text: string, separator: string, limit: number): readonly string[] {
  if (separator !== '') return splitTimes(text, separator, limit)
  const runes = splitIntoRunes(text)
  const ends = ['', ...runes, '']
  if (limit >= runes.length + 1) return ends
  return [...ends.slice(0, limit), joinRunes(runes.slice(limit - 1))]
}

function splitTimes(text: string, separator: string, limit: number): readonly string[] {
  const pieces: string[] = []
  let start = 0
  while (pieces.length < limit) {
    const end = text.indexOf(separator, start)
    if (end < 0) break
    pieces.push(text.slice(start, end))
    start = end + separator.length
  }
  pieces.push(text.slice(start))
  return pieces
}

function split(text: string, separator: string, limit: Int = -1): Value {
  if (limit === 0) return []
  if (separator !== '') return splitTimes(text, separator, limit < 0 ? Infinity : Number(limit) - 1)
  const runes = splitIntoRunes(text)
  if (limit < 0 || limit >= runes.length) return [...runes]
  return [...runes.slice(0, Number(limit) - 1), joinRunes(runes.slice(Number(limit) - 1))]
}

function join(list: ListValue, separator = ''): Value {
  const words: string[] = []
  for (let i = 0, size = listSize(list); i < size; i++) {
    const part = getElement(list, i)
    if (typeof part !== 'string') return new CelError(`join: invalid input: ${formatValue(part)}`)
    words.push(part)
  }
  return words.join(separator)
}

/** Unicode white space as defined by Go's strings.TrimSpace. */
const space = '\\t\\n\\v\\f\\r \\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000'
const leadingSpace = new RegExp(`^[${space}]+`)
const spaceCharacter = new RegExp(`[${space}]`)

/** Removes white space from both ends, like Go's strings.TrimSpace. */
export function trimSpace(text: string): string {
  let end = text.length
  while (end > 0 && spaceCharacter.test(text[end - 1]!)) end--
  return text.slice(0, end).replace(leadingSpace, '')
}

/** Changes the case of ASCII letters only, as CEL specifies. */
function changeCase(text: string, letters: RegExp, change: (letters: string) => string): string {
  return measureUtf8Bytes(text) === text.length ? change(text) : text.replace(letters, change)
}

/** String functions. */
export const strings: Implementations = {
  string_char_at_int: adaptTypes(readCharacter),
  list_join: adaptTypes(join),
  list_join_string: adaptTypes(join),
  string_format: adaptTypes(formatString),
  string_index_of_string: adaptTypes(findIndex),
  string_index_of_string_int: adaptTypes(findIndex),
  string_last_index_of_string: adaptTypes(findLastIndex),
  string_last_index_of_string_int: adaptTypes(findLastIndex),
  string_lower_ascii: adaptTypes((text: string) => changeCase(text, /[A-Z]+/g, (letters) => letters.toLowerCase())),
  string_replace_string_string: adaptTypes(replace),
  string_replace_string_string_int: adaptTypes(replace),
  string_split_string: adaptTypes(split),
  string_split_string_int: adaptTypes(split),
  string_substring_int: adaptTypes(sliceText),
  string_substring_int_int: adaptTypes(sliceText),
  string_trim: adaptTypes(trimSpace),
  string_upper_ascii: adaptTypes((text: string) => changeCase(text, /[a-z]+/g, (letters) => letters.toUpperCase())),
  strings_quote: adaptTypes(
    (text: string) => `"${Array.from(text.toWellFormed(), (character) => shortEscapes[character] ?? character).join('')}"`,
  ),
}
