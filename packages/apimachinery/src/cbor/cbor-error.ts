/** Thrown for invalid CBOR and for CBOR without a JSON equivalent. */
export class CborError extends Error {
  override readonly name = 'CborError'
}

/** Builds kube-apiserver's error for a CBOR data item that it does not accept, from the item's type and the reason. */
export function newUnacceptableItem(type: string, why: string): CborError {
  return new CborError(`cbor: data item of cbor type ${type} is not accepted by protocol: ${why}`)
}
