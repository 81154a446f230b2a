/** Notation of a quantity's suffix: 12Mi (BinarySI), 12M (DecimalSI) or 12e6 (DecimalExponent). */
export type QuantityFormat = 'BinarySI' | 'DecimalSI' | 'DecimalExponent'

export interface QuantityParts {
  readonly unscaled: bigint
  readonly exponent: number
  readonly format: QuantityFormat
  /** True if kube-apiserver prints the quantity as it was written. */
  readonly keepText: boolean
}

const suffixLetters = 'eEinumkKMGTP'
const formatMessage = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
const numericMessage = 'unable to parse numeric part of quantity'
const decimalExponents: Readonly<Record<string, number>> = { n: -9, u: -6, m: -3, '': 0, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 }
const binaryExponents: Readonly<Record<string, number>> = { Ki: 10, Mi: 20, Gi: 30, Ti: 40, Pi: 50, Ei: 60 }
const smallestExponent = -9
/** Maximum absolute value of an exponent. */
const largestExponent = 10_000
/**
 * Maximum number of integer digits, including those that an exponent adds. kube-apiserver has no limit. No real quantity needs more digits, and
 * arithmetic on long numbers is slow.
 */
const maxIntegerDigits = 1000
const maxInt64 = 9223372036854775807n
/** Number of decimal digits of `maxInt64`. */
const maxInt64Digits = 19

export function parseQuantityParts(text: string): QuantityParts {
  const { negative, whole, fraction: writtenFraction, suffix } = splitQuantity(text)
  const { power, format } = interpretSuffix(suffix)
  if (format === 'BinarySI') {
    if (whole.length > maxInt64Digits) return { unscaled: negative ? -maxInt64 : maxInt64, exponent: 0, format, keepText: false }
  } else if (whole.length + power > maxIntegerDigits && !isZero(whole, writtenFraction)) throw new Error(numericMessage)
  const fraction = shortenFraction(writtenFraction, power)
  const digits = (whole === '' ? '0' : whole) + fraction
  let magnitude = BigInt(digits)
  let exponent = -fraction.length
  if (format === 'BinarySI') magnitude <<= BigInt(power)
  else exponent += power

  const keepText =
    text === '0' || (isShort(format, power, digits, fraction, exponent, magnitude) && isNearCanonical(format, digits, exponent))
  if (exponent < smallestExponent) {
    // Rounds up to the next nano, because the quantity of a request must not be rounded down.
    const dropped = smallestExponent - exponent
    if (dropped > digits.length) magnitude = magnitude === 0n ? 0n : 1n
    else magnitude = (magnitude + computePowerOfTen(dropped) - 1n) / computePowerOfTen(dropped)
    exponent = smallestExponent
  }
  const limited = limitMagnitude(magnitude, exponent, format)
  return { ...limited, unscaled: negative ? -limited.unscaled : limited.unscaled, keepText }
}

/** Returns `10n ** BigInt(exponent)`. Caches common powers, because computing them takes longer than using them. */
export function computePowerOfTen(exponent: number): bigint {
  if (exponent > maxIntegerDigits) return 10n ** BigInt(exponent)
  return (powersOfTen[exponent] ??= 10n ** BigInt(exponent))
}
const powersOfTen: bigint[] = []

interface QuantityText {
  readonly negative: boolean
  /** Integer digits without leading zeros. */
  readonly whole: string
  readonly fraction: string
  readonly suffix: string
}

/**
 * Splits a quantity into its parts, like the expression `^([+-]?)0*([0-9]*)(?:\.([0-9]*))?([eEinumkKMGTP]*[-+]?[0-9]*)$`. That expression has
 * three adjacent groups that match digits, so it would backtrack. This function scans the text once.
 */
function splitQuantity(text: string): QuantityText {
  if (text === '') throw new Error(formatMessage)
  let at = isSign(text, 0) ? 1 : 0
  while (text.charCodeAt(at) === 0x30) at++
  const wholeEnd = endOfDigits(text, at)
  const whole = text.slice(at, wholeEnd)
  at = wholeEnd
  let fraction = ''
  if (text.charCodeAt(at) === 0x2e) {
    const fractionEnd = endOfDigits(text, at + 1)
    fraction = text.slice(at + 1, fractionEnd)
    at = fractionEnd
  }
  const suffixStart = at
  while (at < text.length && suffixLetters.includes(text.charAt(at))) at++
  if (isSign(text, at)) at++
  if (endOfDigits(text, at) !== text.length) throw new Error(formatMessage)
  return { negative: text.charCodeAt(0) === 0x2d, whole, fraction, suffix: text.slice(suffixStart) }
}

function isSign(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return code === 0x2b || code === 0x2d
}

function endOfDigits(text: string, start: number): number {
  let at = start
  for (;;) {
    const code = text.charCodeAt(at)
    if (!(code >= 0x30 && code <= 0x39)) return at
    at++
  }
}

function isZero(whole: string, fraction: string): boolean {
  return whole === '' && !/[1-9]/.test(fraction)
}

/**
 * Shortens the fraction without changing the parsed quantity. Quantities are rounded up to nanos, so all later digits can be replaced by a single
 * 1 if one of them is not zero.
 */
function shortenFraction(fraction: string, power: number): string {
  const needed = maxInt64Digits - smallestExponent + Math.max(power, 0)
  if (fraction.length <= needed) return fraction
  const digits = fraction.slice(0, needed)
  return /[1-9]/.test(fraction.slice(needed)) ? `${digits}1` : digits
}

/** Limits a quantity to the largest int64 if its format is BinarySI. Changes the format of a BinarySI quantity below one to DecimalSI. */
function limitMagnitude(magnitude: bigint, exponent: number, format: QuantityFormat): Omit<QuantityParts, 'keepText'> {
  if (format !== 'BinarySI') return { unscaled: magnitude, exponent, format }
  const one = computePowerOfTen(-exponent)
  if (magnitude > maxInt64 * one) return { unscaled: maxInt64, exponent: 0, format }
  return { unscaled: magnitude, exponent, format: 0n < magnitude && magnitude < one ? 'DecimalSI' : format }
}

/** Returns whether kube-apiserver stores the value as a scaled int64. In that case, it prints the quantity as it was written. */
function isShort(format: QuantityFormat, power: number, digits: string, fraction: string, exponent: number, magnitude: bigint): boolean {
  if (format !== 'BinarySI') return digits.length <= 18 && exponent >= smallestExponent
  return fraction === '' && 15 - digits.length - Math.trunc((power * 3) / 10) - 1 >= 0 && magnitude <= maxInt64
}

function isNearCanonical(format: QuantityFormat, digits: string, exponent: number): boolean {
  if (format === 'BinarySI') return (BigInt(digits) & 7n) !== 0n
  return exponent % 3 === 0 && !digits.endsWith('000') && !digits.startsWith('0')
}

function interpretSuffix(suffix: string): { power: number; format: QuantityFormat } {
  if (Object.hasOwn(decimalExponents, suffix)) return { power: decimalExponents[suffix]!, format: 'DecimalSI' }
  if (Object.hasOwn(binaryExponents, suffix)) return { power: binaryExponents[suffix]!, format: 'BinarySI' }
  if (/^[eE][-+]?[0-9]+$/.test(suffix)) {
    const power = Number(suffix.slice(1))
    if (Math.abs(power) <= largestExponent) return { power, format: 'DecimalExponent' }
    if (Math.abs(power) < 2 ** 63) throw new Error(numericMessage)
  }
  throw new Error("unable to parse quantity's suffix")
}
