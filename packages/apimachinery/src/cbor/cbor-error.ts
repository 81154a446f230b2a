/** The bytes are no CBOR, or CBOR that JSON has no like of. */
export class CborError extends Error {
  override readonly name = 'CborError'
}

/** In the original's words: what the data item is, and why it is not taken. */
export function unacceptable(type: string, why: string): CborError {
  return new CborError(`cbor: data item of cbor type ${type} is not accepted by protocol: ${why}`)
}
