/** Thrown if the encryption configuration cannot be used. The message lists every problem with its path, without secrets. */
export class EncryptionConfigurationError extends Error {
  override readonly name = 'EncryptionConfigurationError'
}
