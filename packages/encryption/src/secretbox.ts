import { randomBytes } from 'node:crypto'
import { xsalsa20poly1305 } from '@noble/ciphers/salsa.js'
import type { ValueTransformer } from '@keelson/storagebackend'
import { newTooShortError } from './transform-errors.ts'

const nonceSize = 24
const tagSize = 16

/**
 * Creates the secretbox provider: NaCl's secretbox (XSalsa20 and Poly1305). The stored value consists of a random nonce, tag and ciphertext.
 * secretbox authenticates the value, but not its storage key.
 */
export function createSecretbox(key: Uint8Array): ValueTransformer {
  return {
    fromStorage(stored) {
      if (stored.length < nonceSize + tagSize) throw newTooShortError()
      try {
        return { data: xsalsa20poly1305(key, stored.subarray(0, nonceSize)).decrypt(stored.subarray(nonceSize)), stale: false }
      } catch (cause) {
        throw new Error('cannot authenticate the stored data: it was encrypted with another key, or changed later', { cause })
      }
    },
    toStorage(data) {
      const nonce = randomBytes(nonceSize)
      return Buffer.concat([nonce, xsalsa20poly1305(key, nonce).encrypt(data)])
    },
  }
}
