import { ProtoError } from './field-values.ts'

const secondsPerDay = 86_400
/** Seconds of Go's zero time, 0001-01-01T00:00:00Z, which is null in JSON. */
export const zeroTimeSeconds: number = -62_135_596_800
/** Seconds of 9999-12-31T23:59:59Z, the last time that RFC 3339 can represent. */
const lastSecond = 253_402_300_799
const firstSecond = -62_167_219_200

const rfc3339 = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:[.,](\d+))?(?:Z|([+-])(\d\d):(\d\d))$/
const pad2: readonly string[] = Array.from({ length: 100 }, (_, index) => String(index).padStart(2, '0'))

/**
 * Returns the number of days since 1970-01-01 in the proleptic Gregorian calendar. Counts years from March, so that the leap day is the last day
 * of its year.
 */
function daysFromDate(year: number, month: number, day: number): number {
  const y = month <= 2 ? year - 1 : year
  const era = Math.floor(y / 400)
  const yearOfEra = y - era * 400
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1
  return era * 146_097 + yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear - 719_468
}

function digits2(text: string, at: number): number {
  const tens = text.charCodeAt(at) - 48
  const ones = text.charCodeAt(at + 1) - 48
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : -1_000_000
}

function checkedSeconds(year: number, month: number, day: number, hour: number, minute: number, second: number, text: string): number {
  const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
  const length = month === 2 ? (leap ? 29 : 28) : month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31
  if (
    !(
      year >= 0 &&
      month >= 1 &&
      month <= 12 &&
      day >= 1 &&
      day <= length &&
      hour >= 0 &&
      hour < 24 &&
      minute >= 0 &&
      minute < 60 &&
      second >= 0 &&
      second < 60
    )
  )
    throw new ProtoError(`invalid time ${JSON.stringify(text)}`)
  return daysFromDate(year, month, day) * secondsPerDay + hour * 3600 + minute * 60 + second
}

/** Parses an RFC 3339 time to whole seconds since 1970. Ignores its fraction. */
export function secondsOfTime(text: string): number {
  if (
    text.length === 20 &&
    text.charCodeAt(19) === 90 &&
    text.charCodeAt(4) === 45 &&
    text.charCodeAt(7) === 45 &&
    text.charCodeAt(10) === 84 &&
    text.charCodeAt(13) === 58 &&
    text.charCodeAt(16) === 58
  )
    return checkedSeconds(
      digits2(text, 0) * 100 + digits2(text, 2),
      digits2(text, 5),
      digits2(text, 8),
      digits2(text, 11),
      digits2(text, 14),
      digits2(text, 17),
      text,
    )
  const match = rfc3339.exec(text)
  if (match === null) throw new ProtoError(`invalid time ${JSON.stringify(text)}`)
  const [, year, month, day, hour, minute, second, , sign, offsetHours, offsetMinutes] = match
  const offset = sign === undefined ? 0 : (Number(offsetHours) * 3600 + Number(offsetMinutes) * 60) * (sign === '-' ? -1 : 1)
  return checkedSeconds(Number(year), Number(month), Number(day), Number(hour), Number(minute), Number(second), text) - offset
}

/** Parses the fraction of an RFC 3339 time to nanoseconds. Truncates it to whole microseconds. */
export function microNanosOfTime(text: string): number {
  const fraction = rfc3339.exec(text)?.[7]
  return fraction === undefined ? 0 : Number(fraction.slice(0, 6).padEnd(6, '0')) * 1000
}

/** Formats a time as "2026-03-14T09:26:53Z". Returns null for the zero time. */
export function timeOfSeconds(seconds: number): string | null {
  return seconds === zeroTimeSeconds ? null : `${dateTime(seconds)}Z`
}

/**
 * Formats a time as "2026-03-14T09:26:53.000000Z". Returns null for the zero time. Like kube-apiserver, truncates to microseconds before the
 * comparison with the zero time.
 */
export function microTimeOf(seconds: number, nanos: number): string | null {
  if (!(nanos >= 0 && nanos < 1_000_000_000)) throw new ProtoError('nanoseconds out of range')
  const micros = Math.floor(nanos / 1000)
  if (seconds === zeroTimeSeconds && micros === 0) return null
  return `${dateTime(seconds)}.${String(micros).padStart(6, '0')}Z`
}

function dateTime(seconds: number): string {
  if (!(seconds >= firstSecond && seconds <= lastSecond)) throw new ProtoError('time out of range')
  const days = Math.floor(seconds / secondsPerDay)
  const rest = seconds - days * secondsPerDay
  const shifted = days + 719_468
  const era = Math.floor(shifted / 146_097)
  const dayOfEra = shifted - era * 146_097
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  )
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100))
  const shiftedMonth = Math.floor((5 * dayOfYear + 2) / 153)
  const day = dayOfYear - Math.floor((153 * shiftedMonth + 2) / 5) + 1
  const month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  const hour = Math.floor(rest / 3600)
  const minute = Math.floor(rest / 60) % 60
  return `${pad2[Math.floor(year / 100)]}${pad2[year % 100]}-${pad2[month]}-${pad2[day]}T${pad2[hour]}:${pad2[minute]}:${pad2[rest % 60]}`
}
