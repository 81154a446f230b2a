/**
 * A number whose spelling matters to a typed decoder: `1e3`, `1.0`, `-0` and what a double cannot hold.
 * Only the exact reader makes these, and only for `decodeStruct`; nobody else sees one.
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

/** A JSON number where no type is known: an integer of 64 bits is kept exactly, anything else is a double. `undefined` when it overflows that too. */
export function untypedNumber(literal: string): number | bigint | undefined {
  const value = Number(literal)
  if (literal.length <= longestInt64 && integer.test(literal) && !Number.isSafeInteger(value)) {
    const exact = BigInt(literal)
    if (exact >= minInt64 && exact <= maxInt64) return exact
  }
  return Number.isFinite(value) ? value : undefined
}

/** `true` when the double prints as the literal was written, so that nothing is lost by taking the double. */
export function isPlainNumber(literal: string): boolean {
  return literal.length < 16 && integer.test(literal) && literal !== '-0'
}
