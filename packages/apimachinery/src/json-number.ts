/**
 * A number whose spelling matters to a typed decoder: `1e3`, `1.0`, `-0`, and numbers beyond a double.
 * Created by the exact reader for `decodeStruct` only.
 */
export class NumberLiteral {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

const minInt64 = -(2n ** 63n)
const maxInt64 = 2n ** 63n - 1n
const longestInt64 = 20
const integer = /^-?[0-9]+$/

/** Parses a JSON number of unknown type: 64-bit integers stay exact, others become doubles. Returns `undefined` on overflow. */
export function untypedNumber(literal: string): number | bigint | undefined {
  const value = Number(literal)
  if (literal.length <= longestInt64 && integer.test(literal) && !Number.isSafeInteger(value)) {
    const exact = BigInt(literal)
    if (exact >= minInt64 && exact <= maxInt64) return exact
  }
  return Number.isFinite(value) ? value : undefined
}

/** Returns whether the double prints like the literal, so converting it loses nothing. */
export function isPlainNumber(literal: string): boolean {
  return literal.length < 16 && integer.test(literal) && literal !== '-0'
}
