import { randomBytes, randomUUID } from 'node:crypto'
import type { ValueTransformer } from '@keelson/storagebackend'
import { createExtendedNonceGcm, minSeedSize } from '../extended-nonce-gcm.ts'
import { hkdfSeed, validateDEKSource } from './encrypted-object.ts'
import type { EncryptedObject } from './encrypted-object.ts'
import { computeKeyCacheId } from './key-cache.ts'
import type { KmsService } from './kms-client.ts'

/** The seed that encrypts new values, and its encrypted form from the plugin. */
export interface WriteKey {
  readonly transformer: ValueTransformer
  readonly wrapped: Omit<EncryptedObject, 'encryptedData'>
  readonly cacheId: string
}

/** Creates a random seed and asks the plugin to encrypt it with its current key. */
export async function createWriteKey(service: KmsService): Promise<WriteKey> {
  const seed = randomBytes(minSeedSize)
  let answer
  try {
    answer = await service.encrypt(randomUUID(), seed)
  } catch (cause) {
    throw new Error(`failed to encrypt DEK, error: ${(cause as Error).message}`, { cause })
  }
  const wrapped = {
    keyID: answer.keyId,
    encryptedDEKSource: answer.ciphertext,
    annotations: answer.annotations,
    encryptedDEKSourceType: hkdfSeed,
  }
  validateDEKSource(wrapped)
  return { transformer: createExtendedNonceGcm(seed), wrapped, cacheId: computeKeyCacheId(wrapped) }
}
