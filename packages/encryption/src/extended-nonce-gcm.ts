import { createHmac, createSecretKey, randomBytes } from 'node:crypto'
import type { ValueTransformer } from '@keelson/storagebackend'
import { createAesGcm } from './aes-gcm.ts'
import { newTooShortError } from './transform-errors.ts'

const infoSize = 32
export const minSeedSize = 32

/**
 * AES-GCM with a separate key for each value. The key is HKDF-Expand(SHA-256, seed, info), where info is 32 random bytes that are stored before
 * the nonce. One seed can therefore encrypt any number of values.
 */
export function createExtendedNonceGcm(seed: Uint8Array): ValueTransformer {
  if (seed.length < minSeedSize) throw new Error(`invalid seed length ${seed.length} used for key generation`)
  const secret = createSecretKey(seed)
  // A key has 32 bytes, which is the first block of the expansion. HKDF-Extract is not needed, because the seed is random.
  const derive = (keyInfo: Uint8Array): ValueTransformer =>
    createAesGcm(createHmac('sha256', secret).update(keyInfo).update(Buffer.of(1)).digest())
  return {
    fromStorage(stored, key) {
      if (stored.length < infoSize) throw newTooShortError()
      return derive(stored.subarray(0, infoSize)).fromStorage(stored.subarray(infoSize), key)
    },
    toStorage(data, key) {
      const keyInfo = randomBytes(infoSize)
      return Buffer.concat([keyInfo, derive(keyInfo).toStorage(data, key)])
    },
  }
}
