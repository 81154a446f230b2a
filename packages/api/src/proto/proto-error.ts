/** The bytes are no valid message, or the object cannot be encoded. The only error that codecs throw. */
export class ProtoError extends Error {
  override readonly name = 'ProtoError'
}
