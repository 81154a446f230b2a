/** The encryption configuration cannot be used. The message is one sentence that lists every problem with its path, without secrets. */
export class EncryptionConfigurationError extends Error {
  override readonly name = 'EncryptionConfigurationError'
}
