import { randomUUID } from 'node:crypto'
import type { Clock } from '@keelson/apimachinery'
import type { ValueTransformer } from '@keelson/storagebackend'
import { createAesGcm } from '../aes-gcm.ts'
import { createExtendedNonceGcm } from '../extended-nonce-gcm.ts'
import { decodeEncryptedObject, encodeEncryptedObject, hkdfSeed } from './encrypted-object.ts'
import type { EncryptedObject } from './encrypted-object.ts'
import { KeyCache, computeKeyCacheId } from './key-cache.ts'
import type { KmsService } from './kms-client.ts'
import type { KmsProbe } from './kms-probe.ts'

/**
 * Creates the transformer of envelope encryption. It encrypts values with a local seed and stores the seed with each value, encrypted by the KMS
 * plugin. Only `prepare` calls the plugin: it decrypts the seed of a value before the value is read.
 */
export function createEnvelopeTransformer(service: KmsService, probe: KmsProbe, clock: Clock): Required<ValueTransformer> {
  const keys = new KeyCache(clock)
  const unwrapping = new Map<string, Promise<void>>()

  async function unwrap(object: EncryptedObject, id: string): Promise<void> {
    const { encryptedDEKSource: ciphertext, keyID: keyId, annotations } = object
    let key
    try {
      key = await service.decrypt({ ciphertext, uid: randomUUID(), keyId, annotations })
    } catch (cause) {
      throw new Error(`failed to decrypt DEK, error: ${(cause as Error).message}`, { cause })
    }
    if (object.encryptedDEKSourceType === hkdfSeed) return keys.set(id, createExtendedNonceGcm(key))
    if (![16, 24, 32].includes(key.length)) throw new Error(`failed to decrypt DEK, error: invalid key size ${key.length}`)
    keys.set(id, createAesGcm(key))
  }

  return {
    prepare(stored) {
      const object = decodeOrUndefined(stored)
      // The object is invalid. `fromStorage` reports the reason.
      if (object === undefined) return undefined
      const id = computeKeyCacheId(object)
      if (keys.get(id) !== undefined) return undefined
      let pending = unwrapping.get(id)
      if (pending === undefined) {
        pending = unwrap(object, id).finally(() => unwrapping.delete(id))
        unwrapping.set(id, pending)
      }
      return pending
    },
    fromStorage(stored, path) {
      const object = decodeEncryptedObject(stored)
      const reader = keys.get(computeKeyCacheId(object))
      if (reader === undefined) throw new Error('failed to decrypt DEK, error: the key was not unwrapped first')
      const { data } = reader.fromStorage(object.encryptedData, path)
      const current = probe.writeKey?.wrapped
      return {
        data,
        stale: object.keyID !== current?.keyID || object.encryptedDEKSourceType !== current.encryptedDEKSourceType,
      }
    },
    toStorage(data, path) {
      const { transformer, wrapped, cacheId } = probe.requireWriteKey()
      const stored = encodeEncryptedObject({ ...wrapped, encryptedData: transformer.toStorage(data, path) })
      // Adds the seed to the cache, so that values written by this server can be read without calling the plugin.
      keys.set(cacheId, transformer)
      return stored
    },
  }
}

function decodeOrUndefined(stored: Uint8Array): EncryptedObject | undefined {
  try {
    return decodeEncryptedObject(stored)
  } catch {
    return undefined
  }
}
