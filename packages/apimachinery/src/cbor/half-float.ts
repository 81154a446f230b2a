/** Decodes a 16-bit floating-point number. */
export function decodeHalf(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1
  const exponent = (bits >> 10) & 31
  const fraction = bits & 1023
  if (exponent === 0) return sign * fraction * 2 ** -24
  if (exponent === 31) return fraction === 0 ? sign * Infinity : NaN
  return sign * (1024 + fraction) * 2 ** (exponent - 25)
}

/** Returns the 16-bit encoding of a floating-point number; undefined if the number cannot be encoded exactly. */
export function encodeHalf(value: number): number | undefined {
  const sign = value < 0 || Object.is(value, -0) ? 0x8000 : 0
  const size = Math.abs(value)
  if (size === 0) return sign
  const exponent = Math.max(-14, Math.floor(Math.log2(size)))
  const scaled = size * 2 ** (10 - exponent)
  if (exponent > 15 || !Number.isInteger(scaled) || scaled >= 2048) return undefined
  // A number below 1024 is subnormal: it has no leading bit and no exponent.
  return sign | (scaled < 1024 ? scaled : ((exponent + 15) << 10) | (scaled & 1023))
}
