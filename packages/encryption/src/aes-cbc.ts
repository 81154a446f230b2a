import { createCipheriv, createDecipheriv, createSecretKey, randomBytes } from 'node:crypto'
import type { ValueTransformer } from '@keelson/storagebackend'
import { newTooShortError } from './transform-errors.ts'

const blockSize = 16

/**
 * Creates the aescbc provider: AES-CBC with PKCS#7 padding. The stored value starts with a random initialization vector. AES-CBC does not
 * authenticate: a value that was modified or moved may decrypt to something else. Use it only to read existing data, and prefer aesgcm, secretbox
 * or KMS.
 */
export function createAesCbc(key: Uint8Array): ValueTransformer {
  const secret = createSecretKey(key)
  const algorithm = `aes-${key.length * 8}-cbc`
  return {
    fromStorage(stored) {
      if (stored.length < blockSize) throw newTooShortError()
      if (stored.length % blockSize !== 0) throw new Error('the stored data is not a multiple of the block size')
      if (stored.length === blockSize) throw new Error('invalid PKCS7 data (empty or not padded)')
      const decipher = createDecipheriv(algorithm, secret, stored.subarray(0, blockSize))
      const blocks = decipher.update(stored.subarray(blockSize))
      try {
        return { data: Buffer.concat([blocks, decipher.final()]), stale: false }
      } catch (cause) {
        throw new Error('invalid padding on input', { cause })
      }
    },
    toStorage(data) {
      const vector = randomBytes(blockSize)
      const cipher = createCipheriv(algorithm, secret, vector)
      return Buffer.concat([vector, cipher.update(data), cipher.final()])
    },
  }
}
