import { createCipheriv, createDecipheriv, createSecretKey, randomBytes } from 'node:crypto'
import type { CipherGCMTypes } from 'node:crypto'
import type { ValueTransformer } from '@keelson/storagebackend'
import { newTooShortError } from './transform-errors.ts'

const nonceSize = 12
const tagSize = 16

/**
 * Creates the aesgcm provider: AES-GCM with a random nonce. The storage key is authenticated data. The stored value consists of nonce, ciphertext
 * and tag. The operator must rotate the key before 2^32 values are written with it.
 */
export function createAesGcm(key: Uint8Array): ValueTransformer {
  const secret = createSecretKey(key)
  const algorithm = `aes-${key.length * 8}-gcm` as CipherGCMTypes
  return {
    fromStorage(stored, path) {
      if (stored.length < nonceSize + tagSize) throw newTooShortError()
      const decipher = createDecipheriv(algorithm, secret, stored.subarray(0, nonceSize), { authTagLength: tagSize })
      decipher.setAAD(Buffer.from(path))
      decipher.setAuthTag(stored.subarray(stored.length - tagSize))
      // GCM is a stream mode, so this one update returns all bytes. They are used only after `final` has verified the tag.
      const plaintext = decipher.update(stored.subarray(nonceSize, stored.length - tagSize))
      try {
        decipher.final()
      } catch (cause) {
        throw new Error('cipher: message authentication failed', { cause })
      }
      return { data: plaintext, stale: false }
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
