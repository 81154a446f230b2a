import { BoxedValue } from './value.ts'

/** First second of the year 1, the minimum of CEL timestamps, in seconds since 1970. */
const minSeconds = -62_135_596_800
const maxSeconds = 253_402_300_799

/** A point in time. The offset affects only formatting. */
export class Timestamp extends BoxedValue {
  /** Seconds since 1970. */
  readonly seconds: number
  /** Nanoseconds within the second: 0 to 999,999,999. */
  readonly nanos: number
  /** Offset from UTC in the parsed text, in seconds. */
  readonly offset: number

  constructor(seconds: number, nanos: number, offset = 0) {
    super()
    this.seconds = seconds
    this.nanos = nanos
    this.offset = offset
  }

  /** Formats the timestamp in RFC 3339 with as many fractional digits as needed. */
  override toString(): string {
    const local = new Date((this.seconds + this.offset) * 1000).toISOString().slice(0, 19)
    const fraction =
      this.nanos === 0
        ? ''
        : `.${String(this.nanos)
            .padStart(9, '0')
            .replace(/0{1,8}$/, '')}`
    return local + fraction + formatOffset(this.offset)
  }
}

export function isWithinYears(seconds: number): boolean {
  return seconds >= minSeconds && seconds <= maxSeconds
}

function formatOffset(offset: number): string {
  if (offset === 0) return 'Z'
  const minutes = Math.floor(Math.abs(offset) / 60)
  const padToTwo = (value: number): string => String(value).padStart(2, '0')
  return `${offset < 0 ? '-' : '+'}${padToTwo(Math.floor(minutes / 60))}:${padToTwo(minutes % 60)}`
}

const format = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:[.,](\d+))?(?:Z|([+-])(\d\d):(\d\d))$/

/** Parses an RFC 3339 timestamp; undefined for other text. The year may be outside the valid range. */
export function parseTimestamp(text: string): Timestamp | undefined {
  const match = format.exec(text)
  if (match === null) return undefined
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number) as [number, number, number, number, number, number]
  const [, , , , , , , fraction = '', sign, offsetHours = '0', offsetMinutes = '0'] = match
  if (hour > 23 || minute > 59 || second > 59 || Number(offsetHours) > 24 || Number(offsetMinutes) > 59) return undefined
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  if (month < 1 || month > 12 || date.getUTCDate() !== day) return undefined
  const offset = (sign === '-' ? -1 : 1) * (Number(offsetHours) * 3600 + Number(offsetMinutes) * 60)
  const seconds = date.getTime() / 1000 + hour * 3600 + minute * 60 + second - offset
  return new Timestamp(seconds, Number(fraction.slice(0, 9).padEnd(9, '0')), offset === 0 ? 0 : offset)
}
