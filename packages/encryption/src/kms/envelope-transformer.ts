import { randomUUID } from 'node:crypto'
import type { Clock } from '@keelson/apimachinery'
import type { ValueTransformer } from '@keelson/storagebackend'
import { createAesGcm } from '../aes-gcm.ts'
import { createExtendedNonceGcm } from '../extended-nonce-gcm.ts'
import { decodeEncryptedObject, encodeEncryptedObject, hkdfSeed } from './encrypted-object.ts'
import type { EncryptedObject } from './encrypted-object.ts'
import { KeyCache, keyCacheId } from './key-cache.ts'
import type { KmsService } from './kms-client.ts'
import type { KmsProbe } from './kms-probe.ts'

/**
 * Envelope encryption: values under a seed of ours, the seed wrapped by the plugin and stored with each value. Reading a value whose seed
 * is not known yet is what `prepare` is for; everything else is local.
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
      // What is wrong with it is for `fromStorage` to say.
      if (object === undefined) return undefined
      const id = keyCacheId(object)
      if (keys.get(id) !== undefined) return undefined
      let wait = unwrapping.get(id)
      if (wait === undefined) {
        wait = unwrap(object, id).finally(() => unwrapping.delete(id))
        unwrapping.set(id, wait)
      }
      return wait
    },
    fromStorage(stored, path) {
      const object = decodeEncryptedObject(stored)
      const reader = keys.get(keyCacheId(object))
      if (reader === undefined) throw new Error('failed to decrypt DEK, error: its key was not unwrapped first')
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
      // What we write we can read, without asking.
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
