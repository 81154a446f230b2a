import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formatConfiguration, formatKeys, openForTest, secrets } from './encryption.fixture.ts'

const path = '/registry/secrets/default/a'
const plain = Buffer.from('plain')
const openTransformer = async (...providers: string[]) =>
  (await openForTest(formatConfiguration({ secrets: providers }))).findTransformer(secrets)!
const read = (by: Awaited<ReturnType<typeof openTransformer>>, stored: Uint8Array) => {
  const { data, stale } = by.fromStorage(stored, path)
  return { text: Buffer.from(data).toString(), stale }
}

describe('providers of a resource', () => {
  test('writes with the first key of the first provider', async () => {
    const stored = Buffer.from((await openTransformer(`aescbc: ${formatKeys(1, 2)}`, `aesgcm: ${formatKeys(3)}`)).toStorage(plain, path))
    expect(stored.subarray(0, 23).toString()).toBe('k8s:enc:aescbc:v1:key1:')
  })

  test('after a rotation writes with the new first key, reads with the old key, and marks values of the old key as stale', async () => {
    const old = await openTransformer(`aesgcm: ${formatKeys(1)}`)
    const duringRotation = await openTransformer(`aesgcm: ${formatKeys(2, 1)}`)
    const afterRotation = await openTransformer(`aesgcm: ${formatKeys(2)}`)
    const stored = old.toStorage(plain, path)
    expect(read(duringRotation, stored)).toEqual({ text: 'plain', stale: true })
    const rewritten = duringRotation.toStorage(plain, path)
    expect(read(duringRotation, rewritten)).toEqual({ text: 'plain', stale: false })
    expect(read(afterRotation, rewritten)).toEqual({ text: 'plain', stale: false })
    expect(() => read(afterRotation, stored)).toThrow('no matching key was found for the provided AES transformer')
  })

  test('tries both of two providers with the same prefix and different keys', async () => {
    const stored = (await openTransformer(`secretbox: {keys: [{name: k, secret: ${Buffer.alloc(32, 1).toString('base64')}}]}`)).toStorage(
      plain,
      path,
    )
    const otherKey = `secretbox: {keys: [{name: k, secret: ${Buffer.alloc(32, 2).toString('base64')}}]}`
    const sameKey = `secretbox: {keys: [{name: k, secret: ${Buffer.alloc(32, 1).toString('base64')}}]}`
    expect(read(await openTransformer(otherKey, sameKey), stored)).toEqual({ text: 'plain', stale: true })
    await expect(openTransformer(otherKey).then((by) => read(by, stored))).rejects.toThrow('cannot authenticate')
  })

  test('reads plaintext if identity is the last provider, and stores plaintext if it is the first', async () => {
    const encrypting = await openTransformer(`aescbc: ${formatKeys(1)}`, 'identity: {}')
    const decrypting = await openTransformer('identity: {}', `aescbc: ${formatKeys(1)}`)
    expect(read(encrypting, plain)).toEqual({ text: 'plain', stale: true })
    const stored = encrypting.toStorage(plain, path)
    expect(read(decrypting, stored)).toEqual({ text: 'plain', stale: true })
    expect(Buffer.from(decrypting.toStorage(plain, path)).toString()).toBe('plain')
    expect(read(decrypting, plain)).toEqual({ text: 'plain', stale: false })
    await expect(openTransformer('identity: {}').then((by) => read(by, stored))).rejects.toThrow('no matching prefix found')
    await expect(openTransformer(`aescbc: ${formatKeys(1)}`).then((by) => read(by, plain))).rejects.toThrow('no matching prefix found')
  })

  test('reads the values of all providers regardless of their order', async () => {
    const allProviders = [`aescbc: ${formatKeys(1, 2)}`, `aesgcm: ${formatKeys(3)}`, `secretbox: ${formatKeys(4, 5)}`, 'identity: {}']
    await fc.assert(
      fc.asyncProperty(fc.shuffledSubarray(allProviders, { minLength: 4 }), fc.uint8Array({ maxLength: 100 }), async (order, data) => {
        const reader = await openTransformer(...order)
        for (const provider of allProviders) {
          const stored = (await openTransformer(provider)).toStorage(data, path)
          const result = reader.fromStorage(stored, path)
          expect(Buffer.compare(result.data, data)).toBe(0)
          expect(result.stale).toBe(provider !== order[0])
        }
      }),
      { numRuns: 5 },
    )
  })
})

describe('resources of a configuration', () => {
  test('uses the most specific pattern, and stores values of unmatched resources unchanged', async () => {
    const { findTransformer } = await openForTest(
      formatConfiguration({
        events: ['identity: {}'],
        'secrets, pandas.example.com': [`aesgcm: ${formatKeys(1)}`],
        "'*.apps'": [`aesgcm: ${formatKeys(2)}`],
        "'*.'": [`aesgcm: ${formatKeys(3)}`],
        "'*.*'": [`aesgcm: ${formatKeys(4)}`],
      }),
    )
    const findKeyName = (group: string, resource: string): string =>
      /^k8s:enc:aesgcm:v1:(key\d):/.exec(
        Buffer.from(findTransformer({ group, resource })!.toStorage(plain, path)).toString('latin1'),
      )?.[1] ?? 'none'
    expect(findKeyName('', 'events')).toBe('none')
    expect(findKeyName('', 'secrets')).toBe('key1')
    expect(findKeyName('example.com', 'pandas')).toBe('key1')
    expect(findKeyName('apps', 'deployments')).toBe('key2')
    expect(findKeyName('', 'pods')).toBe('key3')
    expect(findKeyName('example.com', 'bears')).toBe('key4')
    const onlySecrets = await openForTest(formatConfiguration({ secrets: [`aesgcm: ${formatKeys(1)}`] }))
    expect(onlySecrets.findTransformer({ group: '', resource: 'configmaps' })).toBeUndefined()
    expect(onlySecrets.findTransformer({ group: 'example.com', resource: 'secrets' })).toBeUndefined()
  })

  test('rejects a pattern that an earlier pattern makes unreachable', async () => {
    const provider = [`aesgcm: ${formatKeys(1)}`]
    await expect(openForTest(formatConfiguration({ "'*.*'": provider, secrets: provider }))).rejects.toThrow(
      'resource "secrets" is masked by earlier rule "*.*"',
    )
    await expect(openForTest(formatConfiguration({ "'*.'": provider, secrets: provider }))).rejects.toThrow(
      'resource "secrets" is masked by earlier rule "*."',
    )
    await openForTest(formatConfiguration({ "'*.apps'": provider, secrets: provider }))
  })
})
