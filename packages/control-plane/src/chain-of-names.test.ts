import { expect, test } from 'vitest'
import { buildGenericConfig } from './build-generic-config.ts'
import { newLegacyRESTStorage } from './new-legacy-rest-storage.ts'
import { storageDrivers } from './storage-drivers.ts'

// From options to driver, link by link, by the names that readers of kube-apiserver know.
test('the chain from options to the driver', async () => {
  const config = await buildGenericConfig({ storage: { type: 'memory', prefix: '/elsewhere' } })
  const configMaps = { group: '', resource: 'configmaps' }
  const restOptions = config.restOptionsGetter.getRESTOptions(configMaps)
  expect(restOptions.resourcePrefix).toBe('/elsewhere/configmaps')
  expect(restOptions.backend).toBe(config.backends.main)
  expect(config.storageFactory.newConfig({ group: '', resource: 'events' }).resourcePrefix).toBe('/elsewhere/events')

  const storage = newLegacyRESTStorage(config)
  expect([...storage.keys()]).toEqual(
    expect.arrayContaining(['configmaps', 'namespaces', 'namespaces/finalize', 'namespaces/status', 'pods', 'pods/status']),
  )
  // Decorated storages are known to whoever must wait for them and close them; events go to the store directly.
  expect(config.storages.length).toBeGreaterThan(0)
  expect(config.storages.length).toBeLessThan(new Set([...storage.keys()].map((path) => path.split('/')[0])).size)
  await Promise.all(config.storages.map((one) => one.close()))
  await config.backends[Symbol.asyncDispose]()
})

test('drivers name what they are not', async () => {
  await expect(storageDrivers().create({ type: 'etcd2' })).rejects.toThrow('etcd2 is no longer a supported storage backend')
  await expect(storageDrivers().create({ type: 'paper' })).rejects.toThrow('paper')
  await expect(storageDrivers().create({ type: 'embedded' })).rejects.toMatchObject({ name: 'ConfigurationError' })
})
