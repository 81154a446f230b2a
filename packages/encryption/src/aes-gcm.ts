import { createCipheriv, createDecipheriv, createSecretKey, randomBytes } from 'node:crypto'
import type { CipherGCMTypes } from 'node:crypto'
import type { ValueTransformer } from '@keelson/storagebackend'
import { tooShort } from './transform-errors.ts'

const nonceSize = 12
const tagSize = 16

/**
 * AES-GCM with a random nonce, bound to the storage key: nonce, ciphertext, tag. One key must not write more than 2^32 values, which is
 * for the one who gives the key to see to.
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
      // The cipher is a stream: all bytes come from the one update, and nothing of them is used before `final` has checked the tag.
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
