/** The encryption configuration cannot be used. One sentence, with every complaint and the path it is about; no secrets. */
export class EncryptionConfigurationError extends Error {
  override readonly name = 'EncryptionConfigurationError'
}
