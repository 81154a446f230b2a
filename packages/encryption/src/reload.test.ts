import { createManualClock } from '@keelson/apimachinery/testing'
import { expect, test, vi } from 'vitest'
import { formatConfiguration, formatKeys, openForTest, secrets } from './encryption.fixture.ts'

const key = '/registry/secrets/default/a'
const plain = Buffer.from('plain')
const first = formatConfiguration({ secrets: [`aesgcm: ${formatKeys(1)}`] })
const second = formatConfiguration({ secrets: [`aesgcm: ${formatKeys(2, 1)}`] })

test("reads the file's contents once a minute", async () => {
  const clock = createManualClock()
  const onReload = vi.fn()
  const encryption = await openForTest(first, { automaticReload: true, clock, onReload })
  const transformer = encryption.findTransformer(secrets)!
  const configMaps = encryption.findTransformer({ group: '', resource: 'configmaps' })!
  const stored = transformer.toStorage(plain, key)
  expect(configMaps.toStorage(plain, key)).toBe(plain)
  await encryption.write(first)
  clock.advance(59_999)
  await encryption.write(second)
  expect(transformer.fromStorage(stored, key).stale).toBe(false)
  clock.advance(1)
  await vi.waitFor(() => expect(transformer.fromStorage(stored, key)).toEqual({ data: plain, stale: true }), { timeout: 60_000 })
  expect(onReload).toHaveBeenCalledExactlyOnceWith(expect.stringMatching(/^sha256:[0-9a-f]{64}$/))
  await encryption.write(formatConfiguration({ secrets: [`aesgcm: ${formatKeys(2)}`], configmaps: [`aesgcm: ${formatKeys(3)}`] }))
  await encryption.reload()
  expect(() => transformer.fromStorage(stored, key)).toThrow('no matching key')
  expect(Buffer.from(configMaps.toStorage(plain, key)).subarray(0, 8).toString()).toBe('k8s:enc:')
  await encryption.reload()
  expect(onReload).toHaveBeenCalledTimes(2)
})

test('keeps the configuration if the file is invalid, and reports the error once', async () => {
  const onError = vi.fn()
  const encryption = await openForTest(first, { automaticReload: true, clock: createManualClock(), onError })
  const transformer = encryption.findTransformer(secrets)!
  const stored = transformer.toStorage(plain, key)
  for (const text of ['', 'resources: 1', formatConfiguration({ secrets: ['aesgcm: {keys: []}'] })]) {
    await encryption.write(text)
    await encryption.reload()
    await encryption.reload()
    expect(transformer.fromStorage(stored, key)).toEqual({ data: plain, stale: false })
  }
  expect(onError.mock.calls.map(([error]) => (error as Error).name)).toEqual(Array(3).fill('EncryptionConfigurationError'))
  await encryption.write(second)
  await encryption.reload()
  expect(transformer.fromStorage(stored, key).stale).toBe(true)
})

test('does not reload while a KMS plugin of the new configuration is unhealthy', async () => {
  const clock = createManualClock()
  const onError = vi.fn()
  const encryption = await openForTest(first, { automaticReload: true, clock, onError })
  const stored = encryption.findTransformer(secrets)!.toStorage(plain, key)
  await encryption.write(
    formatConfiguration({ secrets: ["kms: {apiVersion: v2, name: a, timeout: 10ms, endpoint: 'unix:///nowhere.sock'}"] }),
  )
  let isDone = false
  const reloading = encryption.reload().then(() => (isDone = true))
  await vi.waitFor(
    () => {
      clock.advance(1000)
      expect(isDone).toBe(true)
    },
    { timeout: 60_000 },
  )
  await reloading
  expect(onError).toHaveBeenCalledExactlyOnceWith(
    expect.objectContaining({ message: expect.stringContaining('health check for new transformers failed') }),
  )
  expect(encryption.findTransformer(secrets)!.fromStorage(stored, key)).toEqual({ data: plain, stale: false })
})
