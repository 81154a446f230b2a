import { systemClock } from './clock.ts'
import type { RequestContext } from './request.ts'
/** A point in time with nanosecond precision. `seconds` counts from 1970 and is negative for earlier times. */
export interface Instant {
  readonly seconds: number
  readonly nanos: number
}

const timeLayout = '2006-01-02T15:04:05Z07:00'
const microLayout = '2006-01-02T15:04:05.000000Z07:00'
/** Seconds of Go's zero time, 0001-01-01T00:00:00Z, which is null in JSON. */
const zeroSeconds = -62135596800

/** Formats milliseconds since 1970 like metav1.Time: in UTC with whole seconds. */
export function formatTime(millis: number): string {
  return formatInstant(fromMillis(millis))
}

/** Formats the current time of a request's server, for times that the request writes into objects. */
export function requestTime({ now = systemClock.now }: Pick<RequestContext, 'now'>): string {
  return formatTime(now())
}

/** Formats a time like metav1.MicroTime: in UTC with six fractional digits. Milliseconds may have a fraction. */
export function formatMicroTime(moment: number | Instant): string {
  if (typeof moment !== 'number') return formatMicros(moment.seconds, Math.trunc(moment.nanos / 1000))
  const micros = Math.floor(moment * 1000)
  const seconds = Math.floor(micros / 1e6)
  return formatMicros(seconds, micros - seconds * 1e6)
}

function formatMicros(seconds: number, micros: number): string {
  return `${formatSeconds(seconds)}.${String(micros + 1e6).slice(1)}Z`
}

/** Parses an RFC 3339 time to milliseconds since 1970. Throws with Go's message if the text is invalid. */
export function parseTime(text: string): number {
  return commonTime.test(text) ? Date.parse(text) : toMillis(parseInstant(text))
}

export function parseMicroTime(text: string): Instant {
  return new Scanner(text, microLayout).instant()
}

export function parseInstant(text: string): Instant {
  return new Scanner(text, timeLayout).instant()
}

/** Matches the usual canonical times. Excludes days after the 28th, because some months are shorter. */
const commonTime = /^[1-9][0-9]{3}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1[0-9]|2[0-8])T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]Z$/

/** Normalizes the text of a metav1.Time to UTC with whole seconds. Returns null for Go's zero time. */
export function normalizeTime(text: string): string | null {
  if (commonTime.test(text)) return text
  const instant = parseInstant(text)
  return isZeroTime(instant) ? null : formatInstant(instant)
}

export function normalizeMicroTime(text: string): string | null {
  const instant = parseMicroTime(text)
  return isZeroTime(instant) ? null : formatMicroTime(instant)
}

export function toMillis(instant: Instant): number {
  return instant.seconds * 1000 + Math.trunc(instant.nanos / 1_000_000)
}

function isZeroTime(instant: Instant): boolean {
  return instant.seconds === zeroSeconds && instant.nanos === 0
}

function fromMillis(millis: number): Instant {
  const seconds = Math.floor(millis / 1000)
  return { seconds, nanos: Math.round((millis - seconds * 1000) * 1e6) }
}

function formatInstant({ seconds }: Instant): string {
  return `${formatSeconds(seconds)}Z`
}

let lastFormatted = { seconds: NaN, text: '' }

/** Formats whole seconds without a time zone. Caches the last result, because consecutive times are often within the same second. */
function formatSeconds(seconds: number): string {
  if (lastFormatted.seconds !== seconds) {
    const iso = new Date(seconds * 1000).toISOString()
    lastFormatted = { seconds, text: iso.slice(0, iso.indexOf('.')) }
  }
  return lastFormatted.text
}

/** Parses the layouts of Time and MicroTime like Go's time.Parse, with the same error messages. */
class Scanner {
  readonly #text: string
  readonly #layout: string
  #rest: string

  constructor(text: string, layout: string) {
    this.#text = text
    this.#layout = layout
    this.#rest = text
  }

  instant(): Instant {
    const year = this.#number('2006', 4)
    this.#literal('-')
    const month = this.#number('01', 2)
    if (month < 1 || month > 12) throw this.#outOfRange('month')
    this.#literal('-')
    const day = this.#number('02', 2)
    this.#literal('T')
    const hour = /^[0-9](?![0-9])/.test(this.#rest) ? this.#number('15', 1) : this.#number('15', 2)
    if (hour > 23) throw this.#outOfRange('hour')
    this.#literal(':')
    const minute = this.#number('04', 2)
    if (minute > 59) throw this.#outOfRange('minute')
    this.#literal(':')
    const second = this.#number('05', 2)
    if (second > 59) throw this.#outOfRange('second')
    const nanos = this.#fraction()
    const offset = this.#offset()
    if (this.#rest !== '') throw this.#error(`: extra text: ${quoteTime(this.#rest)}`)
    const date = new Date(0)
    date.setUTCFullYear(year, month - 1, day)
    if (day < 1 || date.getUTCDate() !== day) throw this.#outOfRange('day')
    date.setUTCHours(hour, minute, second)
    return { seconds: date.getTime() / 1000 - offset, nanos }
  }

  #number(element: string, width: number): number {
    const digits = this.#rest.slice(0, width)
    if (digits.length < width || !/^[0-9]+$/.test(digits)) throw this.#cannot(element)
    this.#rest = this.#rest.slice(width)
    return Number(digits)
  }

  #literal(char: string): void {
    if (!this.#rest.startsWith(char)) throw this.#cannot(char)
    this.#rest = this.#rest.slice(1)
  }

  /** Parses the fraction of a second. Requires exactly six digits if the layout has them, and otherwise accepts any number of digits. */
  #fraction(): number {
    const exact = this.#layout === microLayout
    const match = exact ? /^[.,]([0-9]{6})/.exec(this.#rest) : /^[.,]([0-9]+)/.exec(this.#rest)
    if (match === null) {
      if (exact) throw this.#cannot('.000000')
      return 0
    }
    this.#rest = this.#rest.slice(match[0].length)
    return Number(match[1]!.slice(0, 9).padEnd(9, '0'))
  }

  /** Parses the time zone and returns its offset in seconds east of UTC. */
  #offset(): number {
    if (this.#rest.startsWith('Z')) {
      this.#rest = this.#rest.slice(1)
      return 0
    }
    const match = /^([+-])([0-9]{2}):([0-9]{2})/.exec(this.#rest)
    if (match === null) throw this.#cannot('Z07:00')
    const hours = Number(match[2])
    const minutes = Number(match[3])
    if (hours > 24) throw this.#outOfRange('time zone offset hour')
    if (minutes > 60) throw this.#outOfRange('time zone offset minute')
    this.#rest = this.#rest.slice(6)
    return (match[1] === '-' ? -1 : 1) * (hours * 3600 + minutes * 60)
  }

  #cannot(element: string): Error {
    return new Error(
      `parsing time ${quoteTime(this.#text)} as ${quoteTime(this.#layout)}: cannot parse ${quoteTime(this.#rest)} as ${quoteTime(element)}`,
    )
  }

  #outOfRange(part: string): Error {
    return this.#error(`: ${part} out of range`)
  }

  #error(message: string): Error {
    return new Error(`parsing time ${quoteTime(this.#text)}${message}`)
  }
}

/** Quotes text like the errors of Go's time package: escapes all bytes that are not printable ASCII. */
function quoteTime(text: string): string {
  let out = '"'
  for (const byte of Buffer.from(text)) {
    if (byte < 0x20 || byte >= 0x80) out += `\\x${byte.toString(16).padStart(2, '0')}`
    else out += byte === 0x22 || byte === 0x5c ? `\\${String.fromCharCode(byte)}` : String.fromCharCode(byte)
  }
  return out + '"'
}
