import type { GoKind } from './conversion-mismatch.ts'

const width: Partial<Record<GoKind, number>> = { int32: 32, int64: 64, uint8: 8, uint32: 32, uint64: 64 }
const [least, most] = [-(2n ** 63n), 2n ** 63n - 1n]

/**
 * Converts a JSON number to an integer as upstream's converter of unstructured objects does: it keeps the low bits of large integers, and
 * accepts fractions and exponents without a fractional part. Returns undefined if there is a fraction.
 */
export function convertInteger(literal: string, to: GoKind): bigint | undefined {
  const decoded = decodedInteger(literal)
  const bits = width[to]
  if (decoded === undefined || bits === undefined) return undefined
  return to.startsWith('u') ? BigInt.asUintN(bits, decoded) : BigInt.asIntN(bits, decoded)
}

/** Truncates to 64 bits. A float that does not fit yields the minimum, as on amd64. */
function decodedInteger(literal: string): bigint | undefined {
  if (literal.length < 400 && /^-?[0-9]+$/.test(literal)) {
    const exact = BigInt(literal)
    return exact >= least && exact <= most ? exact : least
  }
  const number = Number(literal)
  if (!Number.isInteger(number)) return undefined
  const whole = BigInt(number)
  return whole >= least && whole <= most ? whole : least
}
