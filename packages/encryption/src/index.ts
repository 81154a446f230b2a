export { EncryptionConfigurationError } from './configuration-error.ts'
export type {
  EncryptionConfiguration,
  Key,
  KeysConfiguration,
  KmsConfiguration,
  ProviderConfiguration,
  ResourceConfiguration,
} from './encryption-configuration.ts'
export { openEncryption } from './open-encryption.ts'
export type { Encryption, EncryptionCheck, EncryptionOptions } from './open-encryption.ts'
export { parseEncryptionConfiguration } from './parse-configuration.ts'
export type { ParseOptions } from './parse-configuration.ts'
export type { ValidateOptions } from './validate-configuration.ts'
