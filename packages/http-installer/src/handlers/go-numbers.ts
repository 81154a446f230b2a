import { newBadRequest } from '@keelson/apimachinery'

const limit = 2n ** 63n

/** Parses a decimal int64 of a query parameter. Throws 400 with Go's message. Clamps to safe integers. */
export function parseInt64(text: string): number {
  if (!/^[+-]?\d+$/.test(text)) throw newBadRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`)
  const value = BigInt(text.startsWith('+') ? text.slice(1) : text)
  if (value >= limit || value < -limit) throw newBadRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: value out of range`)
  return Math.max(Number.MIN_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, Number(value)))
}
