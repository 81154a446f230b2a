import { createAesGcm } from '../aes-gcm.ts'
import path from 'node:path'
import { createManualClock } from '@keelson/apimachinery/testing'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { formatConfiguration, createDirectory, formatKeys, openForTest, secrets } from '../encryption.fixture.ts'
import { readAesGcm, readExtendedNonceGcm } from '../independent-readers.fixture.ts'
import { startKmsPlugin } from '../testing/index.ts'
import type { KmsPlugin, KmsPluginOptions } from '../testing/index.ts'
import { decodeEncryptedObject, encodeEncryptedObject } from './encrypted-object.ts'

const key = '/registry/secrets/default/a'
const plain = Buffer.from('plain')
const prefix = 'k8s:enc:kms:v2:mine:'

async function startPlugin(options: Partial<KmsPluginOptions> = {}): Promise<KmsPlugin> {
  const started = await startKmsPlugin({ socket: path.join(await createDirectory(), 'kms.sock'), ...options })
  onTestFinished(async () => started[Symbol.asyncDispose]())
  return started
}
const formatProvider = (endpoint: string, more = ''): string => `kms: {apiVersion: v2, name: mine, endpoint: '${endpoint}'${more}}`
const formatText = (endpoint: string, ...others: string[]): string =>
  formatConfiguration({ secrets: [formatProvider(endpoint), ...others] })

async function start(kms: KmsPlugin) {
  const clock = createManualClock()
  const encryption = await openForTest(formatText(kms.endpoint), { clock })
  return { encryption, clock, transformer: encryption.findTransformer(secrets)! }
}

describe('a KMS provider', () => {
  test("encrypts with a seed that the plugin wrapped once, in kube-apiserver's format", async () => {
    const kms = await startPlugin()
    const { transformer } = await start(kms)
    const stored = Buffer.from(transformer.toStorage(plain, key))
    transformer.toStorage(plain, key)
    expect(kms.calls).toEqual({ status: 1, encrypt: 1, decrypt: 0 })
    expect(stored.subarray(0, prefix.length).toString()).toBe(prefix)
    const object = decodeEncryptedObject(stored.subarray(prefix.length))
    expect(object).toMatchObject({ keyID: '1', encryptedDEKSourceType: 1 })
    const seed = readAesGcm(kms.keys.get('1')!, Buffer.from(object.encryptedDEKSource), '1')
    expect(readExtendedNonceGcm(seed, Buffer.from(object.encryptedData), key).toString()).toBe('plain')
    expect(transformer.prepare!(stored, key)).toBeUndefined()
    expect(transformer.fromStorage(stored, key)).toEqual({ data: plain, stale: false })
    expect(() => transformer.fromStorage(stored, `${key}b`)).toThrow('message authentication failed')
  })

  test('rejects a value if any of its bytes is changed', async () => {
    const kms = await startPlugin()
    const { transformer } = await start(kms)
    const stored = Buffer.from(transformer.toStorage(plain, key))
    for (let at = 0; at < stored.length; at++) {
      const changed = Buffer.from(stored)
      changed[at]! ^= 1
      const read = async () => {
        await transformer.prepare!(changed, key)
        return transformer.fromStorage(changed, key)
      }
      await expect(read()).rejects.toThrow()
    }
  })

  test('decrypts a seed once in another server for any number of values and concurrent reads', async () => {
    const kms = await startPlugin()
    const { transformer: writer } = await start(kms)
    const stored = [1, 2, 3].map((n) => writer.toStorage(Buffer.from(`value ${n}`), key))
    const { transformer: reader } = await start(kms)
    expect(() => reader.fromStorage(stored[0]!, key)).toThrow('was not unwrapped first')
    await Promise.all(stored.map(async (value) => reader.prepare!(value, key)))
    expect(kms.calls.decrypt).toBe(1)
    for (const value of stored) {
      expect(reader.prepare!(value, key)).toBeUndefined()
      // A value with a different seed under the same key is not stale.
      expect(reader.fromStorage(value, key).stale).toBe(false)
    }
  })

  test('reads the format of old servers, whose DEK source is the key itself instead of a seed', async () => {
    const kms = await startPlugin()
    const { transformer } = await start(kms)
    const dek = Buffer.alloc(32, 7)
    const object = encodeEncryptedObject({
      keyID: '1',
      encryptedDEKSource: createAesGcm(kms.keys.get('1')!).toStorage(dek, '1'),
      encryptedDEKSourceType: 0,
      annotations: { 'plugin.keelson.example': Buffer.from('1') },
      encryptedData: createAesGcm(dek).toStorage(plain, key),
    })
    const stored = Buffer.concat([Buffer.from(prefix), object])
    await transformer.prepare!(stored, key)
    expect(transformer.fromStorage(stored, key)).toEqual({ data: plain, stale: true })
  })

  test('creates a new seed and marks old values as stale when the status reports a new key id', async () => {
    const kms = await startPlugin()
    const { transformer, clock } = await start(kms)
    const old = transformer.toStorage(plain, key)
    kms.rotate('2')
    expect(transformer.fromStorage(old, key).stale).toBe(false)
    clock.advance(60_000)
    await vi.waitFor(() => expect(transformer.fromStorage(old, key)).toEqual({ data: plain, stale: true }), { timeout: 60_000 })
    const stored = Buffer.from(transformer.toStorage(plain, key))
    expect(decodeEncryptedObject(stored.subarray(prefix.length)).keyID).toBe('2')
    expect(transformer.fromStorage(stored, key).stale).toBe(false)
  })

  test('while a plugin fails, reads work without limit and writes for three minutes, and both recover without a restart', async () => {
    const kms = await startPlugin()
    const { transformer, encryption, clock } = await start(kms)
    const [check] = encryption.checks
    expect(check!.name).toBe('kms-providers')
    await check!.check()
    const stored = transformer.toStorage(plain, key)
    kms.setFailure('the vault is sealed')
    clock.advance(60_000)
    await vi.waitFor(() => expect(check!.check()).rejects.toThrow(/kms-provider-0: .*KMS Provider mine.*the vault is sealed/), {
      timeout: 60_000,
    })
    clock.advance(119_000)
    transformer.toStorage(plain, key)
    clock.advance(2000)
    expect(() => transformer.toStorage(plain, key)).toThrow(/^encryptedDEKSource with keyID hash "sha256:\w+" expired at /)
    expect(transformer.fromStorage(stored, key).data).toEqual(plain)
    kms.setFailure(undefined)
    await vi.waitFor(
      () => {
        clock.advance(10_000)
        return check!.check()
      },
      { timeout: 60_000 },
    )
    transformer.toStorage(plain, key)
    kms.setHealth('tired')
    clock.advance(60_000)
    await vi.waitFor(
      () => expect(check!.check()).rejects.toThrow('kmsv2 Provider mine is not healthy, error: got unexpected healthz status: tired'),
      { timeout: 60_000 },
    )
  })

  test('starts even if a plugin does not run yet, and rejects writes', async () => {
    const socket = path.join(await createDirectory(), 'late.sock')
    const encryption = await openForTest(formatConfiguration({ secrets: [formatProvider(`unix://${socket}`, ", timeout: '100ms'")] }), {
      clock: createManualClock(),
    })
    expect(() => encryption.findTransformer(secrets)!.toStorage(plain, key)).toThrow('kmsv2 Provider mine is not ready')
    await expect(encryption.checks[0]!.check()).rejects.toThrow(
      'failed to perform status section of the healthz check for KMS Provider mine',
    )
  })

  test('a read fails if the plugin does not have the key of the value', async () => {
    const stored = (await start(await startPlugin())).transformer.toStorage(plain, key)
    const { transformer } = await start(await startPlugin({ keyId: '9' }))
    await expect(transformer.prepare!(stored, key)).rejects.toThrow(/failed to decrypt DEK, error: .*there is no key 1/)
  })

  test('rejects KMS version 1', async () => {
    await expect(openForTest(formatConfiguration({ secrets: ["kms: {name: a, endpoint: 'unix:///a.sock'}"] }))).rejects.toThrow(
      'KMSv1 is deprecated',
    )
  })

  test('migrates from a local key to the plugin', async () => {
    const stored = (await openForTest(formatConfiguration({ secrets: [`aescbc: ${formatKeys(1)}`] })))
      .findTransformer(secrets)!
      .toStorage(plain, key)
    const { findTransformer } = await openForTest(formatText((await startPlugin()).endpoint, `aescbc: ${formatKeys(1)}`))
    expect(findTransformer(secrets)!.prepare!(stored, key)).toBeUndefined()
    expect(findTransformer(secrets)!.fromStorage(stored, key)).toEqual({ data: plain, stale: true })
  })
})
