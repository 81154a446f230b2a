/** Bytes that are no valid message, or an object that no message can say. The only error the codecs throw. */
export class ProtoError extends Error {
  override readonly name = 'ProtoError'
}
