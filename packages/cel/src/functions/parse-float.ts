const special: Readonly<Record<string, number>> = { inf: Infinity, infinity: Infinity, nan: NaN }
const decimal = /^[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:e[+-]?[0-9]+)?$/i
const hexadecimal = /^([+-]?)0x([0-9a-f]*)(?:\.([0-9a-f]*))?p([+-]?[0-9]+)$/i
const maxHexDigits = 200

/** Parses a number like Go's strconv.ParseFloat. Returns undefined for invalid text and for numbers outside the range of a double. */
export function parseFloat64(text: string): number | undefined {
  const unsigned = /^[+-]/.test(text) ? text.slice(1) : text
  const constant = unsigned.length <= 8 ? special[unsigned.toLowerCase()] : undefined
  if (constant !== undefined) return text.startsWith('-') ? -constant : constant
  const value = decimal.test(text) ? Number(text) : parseHex(text)
  return value === undefined || !Number.isFinite(value) ? undefined : value
}

/** Parses a hexadecimal float such as `0x1.8p3`. */
function parseHex(text: string): number | undefined {
  const match = text.length > maxHexDigits ? null : hexadecimal.exec(text)
  if (match === null) return undefined
  const [, sign, whole = '', fraction = '', exponent] = match
  if (whole + fraction === '') return undefined
  const magnitude = Number(BigInt(`0x${whole}${fraction}`)) * 2 ** (Number(exponent) - 4 * fraction.length)
  return sign === '-' ? -magnitude : magnitude
}
