/** One value of a DER encoding. */
export interface DerValue {
  readonly tag: number
  /** With tag and length. */
  readonly bytes: Buffer
  readonly content: Buffer
}

export class DerError extends Error {
  override readonly name: string = 'DerError'
}

/** All values that stand one behind the other. Throws `DerError` where the encoding ends early. */
export function derValues(data: Buffer): DerValue[] {
  const values: DerValue[] = []
  for (let at = 0; at < data.length;) {
    const { start, end } = contentOf(data, at)
    values.push({ tag: data[at]!, bytes: data.subarray(at, end), content: data.subarray(start, end) })
    at = end
  }
  return values
}

function contentOf(data: Buffer, at: number): { start: number; end: number } {
  const first = data[at + 1]
  if (first === undefined) throw truncated()
  const size = first < 0x80 ? 0 : first & 0x7f
  if (size > 4 || (first === 0x80 && size === 0)) throw new DerError('asn1: structure error: length too large')
  const start = at + 2 + size
  if (start > data.length) throw truncated()
  const length = size === 0 ? first : data.readUIntBE(at + 2, size)
  if (start + length > data.length) throw truncated()
  return { start, end: start + length }
}

function truncated(): DerError {
  return new DerError('asn1: syntax error: data truncated')
}
