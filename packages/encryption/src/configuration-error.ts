/** Thrown if the encryption configuration is invalid. The message lists every problem with its path and contains no secrets. */
export class EncryptionConfigurationError extends Error {
  override readonly name = 'EncryptionConfigurationError'
}
