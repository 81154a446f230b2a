/** How a quantity prints: 12Mi, 12M, 12e6. */
export type QuantityFormat = 'BinarySI' | 'DecimalSI' | 'DecimalExponent'

export interface QuantityParts {
  readonly unscaled: bigint
  readonly exponent: number
  readonly format: QuantityFormat
  /** The text is near enough to canonical that it is printed as it came. */
  readonly keepText: boolean
}

const pattern = /^([+-]?)0*([0-9]*)(?:\.([0-9]*))?([eEinumkKMGTP]*[-+]?[0-9]*)$/
const formatMessage = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
const decimalExponents: Readonly<Record<string, number>> = { n: -9, u: -6, m: -3, '': 0, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 }
const binaryExponents: Readonly<Record<string, number>> = { Ki: 10, Mi: 20, Gi: 30, Ti: 40, Pi: 50, Ei: 60 }
const smallestExponent = -9
/** Far beyond any use; keeps a short text from standing for a number that fills memory. */
const largestExponent = 10_000
const maxInt64 = 9223372036854775807n

export function parseQuantityParts(text: string): QuantityParts {
  const match = text === '' ? null : pattern.exec(text)
  if (match === null) throw new Error(formatMessage)
  const negative = match[1] === '-'
  const whole = match[2]!
  const fraction = match[3] ?? ''
  const { power, format } = interpretSuffix(match[4]!)
  const digits = (whole === '' ? '0' : whole) + fraction
  let magnitude = BigInt(digits)
  let exponent = -fraction.length
  if (format === 'BinarySI') magnitude <<= BigInt(power)
  else exponent += power

  const keepText =
    text === '0' || (isShort(format, power, digits, fraction, exponent, magnitude) && isNearCanonical(format, digits, exponent))
  if (exponent < smallestExponent) {
    // What is asked for is never rounded away: the next nano up.
    const divisor = 10n ** BigInt(smallestExponent - exponent)
    magnitude = (magnitude + divisor - 1n) / divisor
    exponent = smallestExponent
  }
  const parts = capped(magnitude, exponent, format)
  return { ...parts, unscaled: negative ? -parts.unscaled : parts.unscaled, keepText }
}

/** Binary quantities end at the largest int64; those below one print in decimal. */
function capped(magnitude: bigint, exponent: number, format: QuantityFormat): Omit<QuantityParts, 'keepText'> {
  if (format !== 'BinarySI') return { unscaled: magnitude, exponent, format }
  const one = 10n ** BigInt(-exponent)
  if (magnitude > maxInt64 * one) return { unscaled: maxInt64, exponent: 0, format }
  return { unscaled: magnitude, exponent, format: 0n < magnitude && magnitude < one ? 'DecimalSI' : format }
}

/** Small enough for the original to hold it as a scaled int64, where it remembers the text. */
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
    if (Math.abs(power) > largestExponent) throw new Error('unable to parse numeric part of quantity')
    return { power, format: 'DecimalExponent' }
  }
  throw new Error("unable to parse quantity's suffix")
}
