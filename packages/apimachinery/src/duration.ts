import { quote } from './go-text.ts'
import { trimRight } from './trim.ts'

/** A duration in nanoseconds, like Go's time.Duration. */
export type DurationNanos = bigint

const units: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n, // U+00B5
  μs: 1_000n, // U+03BC
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
}
const limit = 1n << 63n

/** Parses a duration like Go's time.ParseDuration: "1h30m", "-1.5s", "0". Throws an error with Go's message. */
export function parseDuration(text: string): DurationNanos {
  const createInvalidError = (): Error => new Error(`time: invalid duration ${quote(text)}`)
  const negative = text.startsWith('-')
  let rest = negative || text.startsWith('+') ? text.slice(1) : text
  if (rest === '0') return 0n
  if (rest === '') throw createInvalidError()
  let total = 0n
  while (rest !== '') {
    const number = /^([0-9]*)(?:\.([0-9]*))?/.exec(rest)!
    const [matched, whole = '', fraction = ''] = number
    if (whole === '' && fraction === '') throw createInvalidError()
    rest = rest.slice(matched.length)
    const name = /^[^.0-9]*/.exec(rest)![0]
    if (name === '') throw new Error(`time: missing unit in duration ${quote(text)}`)
    const unit = Object.hasOwn(units, name) ? units[name]! : undefined
    if (unit === undefined) throw new Error(`time: unknown unit ${quote(name)} in duration ${quote(text)}`)
    rest = rest.slice(name.length)
    const digits = fraction.slice(0, 18)
    total += BigInt(whole || '0') * unit + (digits === '' ? 0n : (BigInt(digits) * unit) / 10n ** BigInt(digits.length))
    if (total > limit || (total === limit && !negative)) throw createInvalidError()
  }
  return negative ? -total : total
}

/** Formats a duration like Go's Duration.String: "1h30m0s", "1.5s", "100ms", "0s". */
export function formatDuration(nanos: DurationNanos): string {
  if (nanos === 0n) return '0s'
  const sign = nanos < 0n ? '-' : ''
  const value = nanos < 0n ? -nanos : nanos
  if (value < 1_000n) return `${sign}${value}ns`
  if (value < 1_000_000n) return `${sign}${withFraction(value, 1_000n)}µs`
  if (value < 1_000_000_000n) return `${sign}${withFraction(value, 1_000_000n)}ms`
  const minutes = value / units.m!
  const seconds = `${withFraction(value % units.m!, units.s!)}s`
  if (minutes === 0n) return sign + seconds
  return minutes < 60n ? `${sign}${minutes}m${seconds}` : `${sign}${minutes / 60n}h${minutes % 60n}m${seconds}`
}

function withFraction(value: bigint, unit: bigint): string {
  const fraction = value % unit
  if (fraction === 0n) return String(value / unit)
  const digits = trimRight(String(fraction).padStart(String(unit).length - 1, '0'), '0')
  return `${value / unit}.${digits}`
}
