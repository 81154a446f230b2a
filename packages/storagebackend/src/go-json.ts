/** A byte as error texts quote it: `'x'`, `'\''`, `'\u0081'`. */
export function quoteJsonByte(byte: number): string {
  if (byte === 0x27) return String.raw`'\''`
  if (byte === 0x22) return `'"'`
  if (byte === 0x5c) return String.raw`'\\'`
  const named = { 7: 'a', 8: 'b', 9: 't', 10: 'n', 11: 'v', 12: 'f', 13: 'r' }[byte]
  if (named) return `'\\${named}'`
  if (byte >= 0x20 && byte < 0x7f) return `'${String.fromCharCode(byte)}'`
  if (byte >= 0xa1 && byte !== 0xad) return `'${String.fromCharCode(byte)}'`
  return byte < 0x80 ? `'\\x${byte.toString(16).padStart(2, '0')}'` : `'\\u${byte.toString(16).padStart(4, '0')}'`
}
