/** A DER value: tag, length and content. */
export interface DerValue {
  readonly tag: number
  /** The complete encoding, including tag and length. */
  readonly bytes: Buffer
  readonly content: Buffer
}

export class DerError extends Error {
  override readonly name: string = 'DerError'
}

/** Decodes consecutive DER values. Throws `DerError` if the data is truncated. */
export function parseDerValues(data: Buffer): DerValue[] {
  const values: DerValue[] = []
  for (let at = 0; at < data.length;) {
    const { start, end } = readContentRange(data, at)
    values.push({ tag: data[at]!, bytes: data.subarray(at, end), content: data.subarray(start, end) })
    at = end
  }
  return values
}

function readContentRange(data: Buffer, at: number): { start: number; end: number } {
  const first = data[at + 1]
  if (first === undefined) throw createTruncatedError()
  const size = first < 0x80 ? 0 : first & 0x7f
  if (size > 4 || (first === 0x80 && size === 0)) throw new DerError('asn1: structure error: length too large')
  const start = at + 2 + size
  if (start > data.length) throw createTruncatedError()
  const length = size === 0 ? first : data.readUIntBE(at + 2, size)
  if (start + length > data.length) throw createTruncatedError()
  return { start, end: start + length }
}

function createTruncatedError(): DerError {
  return new DerError('asn1: syntax error: data truncated')
}
