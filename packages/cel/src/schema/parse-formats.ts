import { findBase64Error, parseDuration as parseNanos } from '@keelson/apimachinery'
import { Duration } from '../values/duration.ts'
import { parseTimestamp, Timestamp } from '../values/timestamp.ts'
import { CelError } from '../values/value.ts'

/** Nanoseconds of the units that a `duration` may have besides those of Go, by the names of the unit. The last name is also a prefix. */
const units: readonly (readonly [nanos: bigint, ...names: readonly string[]])[] = [
  [1n, 'ns', 'nano'],
  [1_000n, 'us', 'µs', 'micro'],
  [1_000_000n, 'ms', 'milli'],
  [1_000_000_000n, 's', 'sec'],
  [60_000_000_000n, 'm', 'min'],
  [3_600_000_000_000n, 'h', 'hr', 'hour'],
  [86_400_000_000_000n, 'd', 'day'],
  [604_800_000_000_000n, 'w', 'wk', 'week'],
]
const maxInt64 = 2n ** 63n - 1n

/** Parses a value of the format `duration`: a Go duration, or a text such as "3 days 2 hours". */
export function readDuration(text: string): Duration | CelError {
  try {
    return new Duration(parseNanos(text))
  } catch {
    return readWordyDuration(text)
  }
}

function readWordyDuration(text: string): Duration | CelError {
  const createInvalidError = (reason: string): CelError => new CelError(`Invalid duration ${text}: ${reason}`)
  let total: bigint | undefined
  for (const [, digits, word] of text.matchAll(/(?<!\d)(\d+)[\t\n\f\r ]*([A-Za-zµ]+)/g)) {
    const count = digits!.length > 20 ? maxInt64 + 1n : BigInt(digits!)
    if (count > maxInt64) return createInvalidError(`strconv.Atoi: parsing "${digits}": value out of range`)
    const unit = word!.toLowerCase()
    for (const [nanos, ...names] of units) {
      if (names.includes(unit) || unit.startsWith(names.at(-1)!)) total = BigInt.asIntN(64, (total ?? 0n) + count * nanos)
    }
  }
  return total === undefined ? createInvalidError(`unable to parse ${text} as duration`) : new Duration(total)
}

/** Parses a value of the format `date`: "2026-11-19". */
export function readDate(text: string): Timestamp | CelError {
  const date = /^\d{4}-\d\d-\d\d$/.test(text) ? parseTimestamp(`${text}T00:00:00Z`) : undefined
  return date ?? new CelError(`Invalid date formatted string ${text}: ${describeTimeError(text, '2006-01-02')}`)
}

/** Parses a value of the format `date-time`: RFC 3339, or the same without an offset. */
export function readDateTime(text: string): Timestamp | CelError {
  if (text === '') return new Timestamp(0, 0)
  const time = parseTimestamp(text) ?? (/:\d\d(?:[.,]\d+)?$/.test(text) ? parseTimestamp(`${text}Z`) : undefined)
  return time ?? new CelError(`Invalid date-time formatted string ${text}: ${describeTimeError(text, '2006-01-02T15:04:05')}`)
}

/** Parts of a Go time layout: the text in the layout, the pattern of its values, and the name and range of the values. */
const layoutParts: readonly (readonly [layout: string, pattern: RegExp, name: string, min: number, max: number])[] = [
  ['2006', /^\d{4}/, 'year', 0, 9999],
  ['01', /^\d\d/, 'month', 1, 12],
  ['02', /^\d\d/, 'day', 0, 31],
  ['15', /^\d\d/, 'hour', 0, 23],
  ['04', /^\d\d/, 'minute', 0, 59],
  ['05', /^\d\d/, 'second', 0, 59],
]

/** Returns the message of Go's time.Parse for a text that does not match a layout. */
function describeTimeError(text: string, layout: string): string {
  const prefix = `parsing time "${text}"`
  const describeMismatch = (remainder: string, expected: string): string =>
    `${prefix} as "${layout}": cannot parse "${remainder}" as "${expected}"`
  let unread = text
  let unreadLayout = layout
  for (const [name, pattern, partName, min, max] of layoutParts) {
    if (unreadLayout === '') break
    if (!unreadLayout.startsWith(name)) {
      const separator = unreadLayout[0]!
      if (!unread.startsWith(separator)) return describeMismatch(unread, unreadLayout.slice(0, unreadLayout.indexOf(name)))
      unread = unread.slice(1)
      unreadLayout = unreadLayout.slice(1)
    }
    const [digits] = pattern.exec(unread) ?? []
    if (digits === undefined) return describeMismatch(unread, name)
    if (Number(digits) < min || Number(digits) > max) return `${prefix}: ${partName} out of range`
    unread = unread.slice(digits.length)
    unreadLayout = unreadLayout.slice(name.length)
  }
  return unread === '' ? `${prefix}: day out of range` : `${prefix}: extra text: "${unread}"`
}

const urlLetters = /[A-Za-z0-9_-]/

/** Parses a value of the format `byte`. As in kube-apiserver, it is read as URL-safe base64, although it is validated as standard base64. */
export function readBytes(text: string): Uint8Array | CelError {
  const offset = findBase64Error(text, urlLetters)
  if (offset !== undefined) return new CelError(`Invalid byte formatted string ${text}: illegal base64 data at input byte ${offset}`)
  return Buffer.from(text.replace(/[\r\n]/g, ''), 'base64url')
}
