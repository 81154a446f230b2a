import { trimRight } from '../trim.ts'
import { CborError } from './cbor-error.ts'

const rfc3339 = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9})\d*)?(Z|[+-]\d\d:\d\d)$/

/** Formats a time as RFC 3339, with as few fractional digits as possible. */
export function formatRfc3339(text: string): string {
  const match = rfc3339.exec(text)
  if (match === null || Number.isNaN(Date.parse(`${match[1]}${match[3]}`))) {
    const layout = '2006-01-02T15:04:05Z07:00'
    throw new CborError(`cbor: cannot set ${text} for time.Time: parsing time ${JSON.stringify(text)} as ${JSON.stringify(layout)}`)
  }
  const [, seconds, fraction = '', zone] = match
  return `${seconds}${formatFraction(fraction)}${zone}`
}

const firstSecond = Date.parse('0000-01-01T00:00:00Z') / 1000
const lastSecond = Date.parse('9999-12-31T23:59:59Z') / 1000

/** Formats seconds since 1970 as an RFC 3339 time. */
export function formatEpoch(seconds: number): string {
  const wholeSeconds = Math.floor(seconds)
  if (!(wholeSeconds >= firstSecond && wholeSeconds <= lastSecond)) {
    const problem = 'cannot be represented in RFC3339 format with sub-second precision'
    throw new CborError(`cbor: decoded time ${problem}: Time.MarshalText: year outside of range [0,9999]`)
  }
  const nanoseconds = String(Math.min(999_999_999, Math.floor((seconds - wholeSeconds) * 1e9))).padStart(9, '0')
  return `${new Date(wholeSeconds * 1000).toISOString().slice(0, 19)}${formatFraction(nanoseconds)}Z`
}

function formatFraction(digits: string): string {
  const needed = trimRight(digits, '0')
  return needed === '' ? '' : `.${needed}`
}
