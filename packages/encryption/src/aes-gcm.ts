import { createCipheriv, createDecipheriv, createSecretKey, randomBytes } from 'node:crypto'
import type { CipherGCMTypes } from 'node:crypto'
import type { ValueTransformer } from '@keelson/storagebackend'
import { tooShort } from './transform-errors.ts'

const nonceSize = 12
const tagSize = 16

/**
 * AES-GCM with a random nonce, bound to the storage key. Stores nonce, ciphertext, tag. The caller must not write more than 2^32 values
 * with one key.
 */
export function createAesGcm(key: Uint8Array): ValueTransformer {
  const secret = createSecretKey(key)
  const algorithm = `aes-${key.length * 8}-gcm` as CipherGCMTypes
  return {
    fromStorage(stored, path) {
      if (stored.length < nonceSize + tagSize) throw tooShort()
      const decipher = createDecipheriv(algorithm, secret, stored.subarray(0, nonceSize), { authTagLength: tagSize })
      decipher.setAAD(Buffer.from(path))
      decipher.setAuthTag(stored.subarray(stored.length - tagSize))
      // A stream cipher: the single update returns all bytes. They are not used before `final` has verified the tag.
      const data = decipher.update(stored.subarray(nonceSize, stored.length - tagSize))
      try {
        decipher.final()
      } catch (cause) {
        throw new Error('cipher: message authentication failed', { cause })
      }
      return { data, stale: false }
    },
    toStorage(data, path) {
      const nonce = randomBytes(nonceSize)
      const cipher = createCipheriv(algorithm, secret, nonce, { authTagLength: tagSize })
      cipher.setAAD(Buffer.from(path))
      const encrypted = cipher.update(data)
      cipher.final()
      return Buffer.concat([nonce, encrypted, cipher.getAuthTag()])
    },
  }
}
