import { randomBytes } from 'node:crypto'
import type { ValueTransformer } from '@keelson/storagebackend'
import * as fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { createAesCbc } from './aes-cbc.ts'
import { createAesGcm } from './aes-gcm.ts'
import { createExtendedNonceGcm } from './extended-nonce-gcm.ts'
import { readAesCbc, readAesGcm, readSecretbox, readExtendedNonceGcm } from './independent-readers.fixture.ts'
import { createSecretbox } from './secretbox.ts'

interface Case {
  readonly create: (key: Uint8Array) => ValueTransformer
  readonly sizes: readonly number[]
  readonly read: (key: Buffer, stored: Buffer, path: string) => Buffer
  readonly authenticates: { readonly value: boolean; readonly path: boolean }
}
const authenticatesBoth = { value: true, path: true }
const cases: Record<string, Case> = {
  aesgcm: { create: createAesGcm, sizes: [16, 24, 32], read: readAesGcm, authenticates: authenticatesBoth },
  aescbc: { create: createAesCbc, sizes: [16, 24, 32], read: readAesCbc, authenticates: { value: false, path: false } },
  secretbox: { create: createSecretbox, sizes: [32], read: readSecretbox, authenticates: { value: true, path: false } },
  'seeded aesgcm': { create: createExtendedNonceGcm, sizes: [32], read: readExtendedNonceGcm, authenticates: authenticatesBoth },
}
const path = '/registry/secrets/default/a'

describe.each(Object.entries(cases))('%s', (_, { create, sizes, read, authenticates }) => {
  test.each(sizes)('round-trips values, which an independent implementation can read (%d byte keys)', (size) => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: size, maxLength: size }),
        fc.uint8Array({ maxLength: 300 }),
        fc.string({ unit: 'grapheme' }),
        (key, data, at) => {
          const transformer = create(key)
          const stored = Buffer.from(transformer.toStorage(data, at))
          expect(Buffer.compare(transformer.fromStorage(stored, at).data, data)).toBe(0)
          expect(transformer.fromStorage(stored, at).stale).toBe(false)
          expect(read(Buffer.from(key), stored, at).equals(data)).toBe(true)
        },
      ),
      { numRuns: 40 },
    )
  })

  it('encrypts the same value to different bytes each time, and never writes the plaintext', () => {
    const transformer = create(randomBytes(32))
    const plaintext = Buffer.from('the plain text of a secret')
    const [first, second] = [transformer.toStorage(plaintext, path), transformer.toStorage(plaintext, path)]
    expect(Buffer.compare(first, second)).not.toBe(0)
    expect(Buffer.from(first).includes('plain text')).toBe(false)
  })

  it('rejects another key and a truncated value, and if the provider authenticates, also a changed byte and another path', () => {
    const transformer = create(randomBytes(32))
    const plaintext = randomBytes(45)
    const stored = Buffer.from(transformer.toStorage(plaintext, path))
    const readsRight = (bytes: Uint8Array, at = path, by = transformer): boolean => {
      try {
        return Buffer.compare(by.fromStorage(bytes, at).data, plaintext) === 0
      } catch {
        return false
      }
    }
    expect(readsRight(stored)).toBe(true)
    expect(readsRight(stored, path, create(randomBytes(32)))).toBe(false)
    for (let length = 0; length < stored.length; length++) expect(readsRight(stored.subarray(0, length))).toBe(false)
    for (let at = 0; at < stored.length; at++) {
      const changed = Buffer.from(stored)
      changed[at]! ^= 1 << (at % 8)
      if (authenticates.value) expect(() => transformer.fromStorage(changed, path)).toThrow(/authent/)
      else expect(readsRight(changed)).toBe(false)
    }
    expect(readsRight(stored, `${path}b`)).toBe(!authenticates.path)
    if (authenticates.path) expect(() => transformer.fromStorage(stored, `${path}b`)).toThrow('message authentication failed')
  })
})
