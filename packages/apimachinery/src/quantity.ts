import { memoizeByText } from './go-text.ts'
import { parseQuantityParts, computePowerOfTen } from './quantity-parts.ts'
import type { QuantityFormat } from './quantity-parts.ts'

const decimalSuffixes: Readonly<Record<number, string>> = {
  [-9]: 'n',
  [-6]: 'u',
  [-3]: 'm',
  0: '',
  3: 'k',
  6: 'M',
  9: 'G',
  12: 'T',
  15: 'P',
  18: 'E',
}
const binarySuffixes = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei']

/**
 * An exact fixed-point number, `unscaled × 10^exponent`. The format affects only printing. Immutable.
 *
 *     parseQuantity('1500m').toString()                    // "1500m"
 *     parseQuantity('1024Ki').add(parseQuantity('1Mi'))    // "2Mi"
 */
export class Quantity {
  readonly unscaled: bigint
  readonly exponent: number
  readonly format: QuantityFormat
  /** Text as written, if kube-apiserver prints it unchanged; otherwise undefined. */
  readonly #text: string | undefined

  constructor(unscaled: bigint, exponent: number, format: QuantityFormat, text?: string) {
    this.unscaled = unscaled
    this.exponent = exponent
    this.format = format
    this.#text = text
  }

  sign(): -1 | 0 | 1 {
    return this.unscaled < 0n ? -1 : this.unscaled > 0n ? 1 : 0
  }

  isZero(): boolean {
    return this.unscaled === 0n
  }

  /** Compares two values and ignores their formats. Returns a negative number, zero or a positive number. */
  compare(other: Quantity): number {
    const [a, b] = align(this, other)
    return a < b ? -1 : a > b ? 1 : 0
  }

  equals(other: Quantity): boolean {
    return this.compare(other) === 0
  }

  /** Returns the sum. Its format is that of this quantity, or that of the other one if this quantity is zero. */
  add(other: Quantity): Quantity {
    const [a, b, exponent] = align(this, other)
    return new Quantity(a + b, exponent, this.isZero() ? other.format : this.format)
  }

  sub(other: Quantity): Quantity {
    const [a, b, exponent] = align(this, other)
    return new Quantity(a - b, exponent, this.isZero() ? other.format : this.format)
  }

  multiply(factor: bigint): Quantity {
    return new Quantity(this.unscaled * factor, this.exponent, this.format)
  }

  negate(): Quantity {
    return new Quantity(-this.unscaled, this.exponent, this.format)
  }

  /** Returns the value as a number of units of 10^exponent, rounded away from zero. */
  scaledValue(exponent: number): bigint {
    return rescale(this.unscaled, this.exponent - exponent)
  }

  /** Returns the value as an integer, rounded away from zero. */
  value(): bigint {
    return this.scaledValue(0)
  }

  /** Returns the value in thousandths, rounded away from zero. */
  milliValue(): bigint {
    return this.scaledValue(-3)
  }

  /** Returns the value as a double, which may be inexact. */
  toNumber(): number {
    return Number(`${this.unscaled}e${this.exponent}`)
  }

  /** Formats the quantity canonically: without a fraction and with the largest possible suffix. */
  toString(): string {
    return this.#text ?? formatCanonical(this)
  }

  toJSON(): string {
    return this.toString()
  }
}

/** Parses a quantity. Throws with kube-apiserver's message if the text is invalid. */
export function parseQuantity(text: string): Quantity {
  return parsedQuantity(text)
}

const parsedQuantity = memoizeByText((text) => {
  const { unscaled, exponent, format, keepText } = parseQuantityParts(text)
  return new Quantity(unscaled, exponent, format, keepText ? text : undefined)
})

/** Parses a JSON quantity, which is a string or a number, and formats it canonically. */
export function canonicalizeQuantity(value: string | number): string {
  return parseQuantity(String(value).trim()).toString()
}

function align(a: Quantity, b: Quantity): [bigint, bigint, number] {
  const exponent = Math.min(a.exponent, b.exponent)
  return [rescale(a.unscaled, a.exponent - exponent), rescale(b.unscaled, b.exponent - exponent), exponent]
}

function rescale(unscaled: bigint, by: number): bigint {
  if (by === 0 || unscaled === 0n) return unscaled
  if (by > 0) return unscaled * computePowerOfTen(by)
  const divisor = computePowerOfTen(-by)
  const quotient = unscaled / divisor
  return unscaled % divisor === 0n ? quotient : quotient + (unscaled < 0n ? -1n : 1n)
}

function formatCanonical(quantity: Quantity): string {
  if (quantity.isZero()) return '0'
  if (quantity.format === 'BinarySI') {
    const integer = quantity.value()
    const small = -1024n < integer && integer < 1024n
    if (!small && rescale(integer, -quantity.exponent) === quantity.unscaled) return formatBinary(integer)
  }
  return formatDecimal(quantity)
}

function formatBinary(value: bigint): string {
  let mantissa = value
  let power = 0
  for (; mantissa % 1024n === 0n; power++) mantissa /= 1024n
  return mantissa.toString() + (binarySuffixes[power] ?? '')
}

function formatDecimal(quantity: Quantity): string {
  let { unscaled, exponent } = quantity
  const zeros = countTrailingZeros(unscaled.toString())
  unscaled /= computePowerOfTen(zeros)
  exponent += zeros
  for (; exponent % 3 !== 0; exponent--) unscaled *= 10n
  if (quantity.format === 'DecimalExponent') return exponent === 0 ? unscaled.toString() : `${unscaled}e${exponent}`
  return unscaled.toString() + (decimalSuffixes[exponent] ?? '')
}

/** Counts the zeros at the end of a number's digits. Repeated division by ten would take quadratic time. */
function countTrailingZeros(digits: string): number {
  let at = digits.length
  while (digits.charCodeAt(at - 1) === 0x30) at--
  return digits.length - at
}

/** Quantities by resource name, for example requests, limits, or the usage of a quota. */
export type Quantities = ReadonlyMap<string, Quantity>

const zero = parseQuantity('0')

/** Parses a `v1.ResourceList`. */
export function parseQuantities(list: Readonly<Record<string, string>> | undefined): Quantities {
  return new Map(Object.entries(list ?? {}).map(([name, text]) => [name, parseQuantity(text)]))
}

export function addQuantities(a: Quantities, b: Quantities): Quantities {
  const sum = new Map(a)
  for (const [name, quantity] of b) sum.set(name, (sum.get(name) ?? zero).add(quantity))
  return sum
}
