import type { Clock } from '@keelson/apimachinery'
import { createPrefixTransformer } from '@keelson/storagebackend'
import type { PrefixedTransformer, ValueTransformer } from '@keelson/storagebackend'
import { createAesCbc } from './aes-cbc.ts'
import { createAesGcm } from './aes-gcm.ts'
import { EncryptionConfigurationError } from './configuration-error.ts'
import type { EncryptionConfiguration, Key, ProviderConfiguration } from './encryption-configuration.ts'
import { parsePattern, formatPattern } from './group-resource-pattern.ts'
import { identity } from './identity.ts'
import { openKmsProvider } from './kms/kms-provider.ts'
import type { KmsProvider } from './kms/kms-provider.ts'
import { createSecretbox } from './secretbox.ts'
import { decodeBase64 } from './strict-base64.ts'

export interface BuiltTransformers {
  /** Transformers by resource pattern. Patterns are "secrets", "*.apps", "*." (core group) and "*.*". */
  readonly overrides: ReadonlyMap<string, ValueTransformer>
  readonly kms: readonly KmsProvider[]
}

/**
 * Builds the transformers of a validated configuration. Asks each KMS plugin to encrypt a first seed. If a plugin does not respond, retries in
 * the background.
 */
export async function buildTransformers(configuration: EncryptionConfiguration, clock: Clock): Promise<BuiltTransformers> {
  const kms: KmsProvider[] = []
  try {
    const lists = new Map<string, PrefixedTransformer[]>()
    for (const { resources, providers } of configuration.resources) {
      const transformers: PrefixedTransformer[] = []
      for (const provider of providers) transformers.push(await createProvider(provider, clock, kms))
      for (const resource of resources) {
        const pattern = parsePattern(resource)
        const name = formatPattern(pattern)
        for (const wider of [formatPattern({ ...pattern, resource: '*' }), '*.*']) {
          if (!lists.has(wider)) continue
          const message = `resource ${JSON.stringify(name)} is masked by earlier rule ${JSON.stringify(wider)}`
          throw new EncryptionConfigurationError(`error while building transformers: ${message}`)
        }
        lists.set(name, [...(lists.get(name) ?? []), ...transformers])
      }
    }
    const overrides = new Map<string, ValueTransformer>()
    for (const [name, list] of lists) overrides.set(name, createPrefixTransformer(list, 'no matching prefix found'))
    return { overrides, kms }
  } catch (error) {
    for (const provider of kms) provider.close()
    throw error
  }
}

async function createProvider(provider: ProviderConfiguration, clock: Clock, kms: KmsProvider[]): Promise<PrefixedTransformer> {
  if (provider.aesgcm != null) return createKeyedTransformer('aesgcm', 'AES', provider.aesgcm.keys, createAesGcm)
  if (provider.aescbc != null) return createKeyedTransformer('aescbc', 'AES', provider.aescbc.keys, createAesCbc)
  if (provider.secretbox != null) return createKeyedTransformer('secretbox', 'Secretbox', provider.secretbox.keys, createSecretbox)
  if (provider.kms != null) {
    const kmsProvider = await openKmsProvider(provider.kms, clock)
    kms.push(kmsProvider)
    return { prefix: `k8s:enc:kms:v2:${kmsProvider.name}:`, transformer: kmsProvider.transformer }
  }
  return { prefix: '', transformer: identity }
}

function createKeyedTransformer(
  provider: string,
  title: string,
  keys: readonly Key[],
  create: (key: Uint8Array) => ValueTransformer,
): PrefixedTransformer {
  const byKey = keys.map(({ name, secret }) => ({ prefix: `${name}:`, transformer: create(decodeBase64(secret)!) }))
  return {
    prefix: `k8s:enc:${provider}:v1:`,
    transformer: createPrefixTransformer(byKey, `no matching key was found for the provided ${title} transformer`),
  }
}
