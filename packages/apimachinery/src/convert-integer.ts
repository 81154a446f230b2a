import type { GoKind } from './conversion-misfit.ts'

const width: Partial<Record<GoKind, number>> = { int32: 32, int64: 64, uint8: 8, uint32: 32, uint64: 64 }
const [least, most] = [-(2n ** 63n), 2n ** 63n - 1n]

/**
 * What the original's converter of decoded objects makes of a JSON number where an integer is wanted: one that is too large is not refused, its low bits are
 * taken, and a number with point or exponent will do if nothing is behind the point. Undefined: there is something.
 */
export function convertInteger(literal: string, to: GoKind): bigint | undefined {
  const decoded = decodedInteger(literal)
  const bits = width[to]
  if (decoded === undefined || bits === undefined) return undefined
  return to.startsWith('u') ? BigInt.asUintN(bits, decoded) : BigInt.asIntN(bits, decoded)
}

/** As 64 bits; of a floating point number that has no place in them the processor makes the least. */
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
