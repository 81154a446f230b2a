/** Thrown for invalid CBOR and for CBOR without a JSON equivalent. */
export class CborError extends Error {
  override readonly name = 'CborError'
}

/** Builds kube-apiserver's message from the type of the data item and the reason. */
export function unacceptable(type: string, why: string): CborError {
  return new CborError(`cbor: data item of cbor type ${type} is not accepted by protocol: ${why}`)
}
