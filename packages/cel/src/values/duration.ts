import { parseDuration as parseNanos } from '@keelson/apimachinery'
import { BoxedValue } from './value.ts'

const maxDurationLength = 1000

/** A duration in nanoseconds, as a signed 64-bit integer. */
export class Duration extends BoxedValue {
  readonly nanos: bigint

  constructor(nanos: bigint) {
    super()
    this.nanos = nanos
  }

  /** Formats the duration in seconds: `90s`, `0.5s`. */
  override toString(): string {
    return `${formatPlainNumber(Number(this.nanos / nanosPerSecond) + Number(this.nanos % nanosPerSecond) / 1e9)}s`
  }
}

export const nanosPerSecond: bigint = 1_000_000_000n

/** Parses a duration such as `1h30m` or `-1.5s`; undefined for other text. */
export function parseDuration(text: string): Duration | undefined {
  if (text.length > maxDurationLength) return undefined
  try {
    return new Duration(parseNanos(text))
  } catch {
    return undefined
  }
}

/** Formats a number with the shortest exact digits and without an exponent. */
export function formatPlainNumber(value: number): string {
  const text = String(value)
  const match = /^(-?)(\d)(?:\.(\d+))?e([+-]\d+)$/.exec(text)
  if (match === null) return text
  const [, sign, first, rest = '', exponentText] = match
  const exponent = Number(exponentText)
  const digits = first! + rest
  return exponent < 0 ? `${sign}0.${'0'.repeat(-exponent - 1)}${digits}` : `${sign}${digits.padEnd(exponent + 1, '0')}`
}
