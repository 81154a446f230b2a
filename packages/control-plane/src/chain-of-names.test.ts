import { expect, test } from 'vitest'
import { openCoreStorage } from './core-storage.fixture.ts'
import { createStorageDrivers } from './storage-drivers.ts'

// Follows the path from options to driver by the names that kube-apiserver uses.
test('leads from options to the driver', async () => {
  await using core = await openCoreStorage('/elsewhere')
  const { config, storage } = core
  const configMaps = { group: '', resource: 'configmaps' }
  const restOptions = config.restOptionsGetter.getRESTOptions(configMaps)
  expect(restOptions.resourcePrefix).toBe('/elsewhere/configmaps')
  expect(restOptions.backend).toBe(config.backends.main)
  expect(config.storageFactory.newConfig({ group: '', resource: 'events' }).resourcePrefix).toBe('/elsewhere/events')

  expect([...storage.keys()]).toEqual(
    expect.arrayContaining(['configmaps', 'namespaces', 'namespaces/finalize', 'namespaces/status', 'pods', 'pods/status']),
  )
})

test('unknown drivers are rejected by name', async () => {
  await expect(createStorageDrivers().create({ type: 'etcd2' })).rejects.toThrow('etcd2 is no longer a supported storage backend')
  await expect(createStorageDrivers().create({ type: 'paper' })).rejects.toThrow('paper')
  await expect(createStorageDrivers().create({ type: 'embedded' })).rejects.toMatchObject({ name: 'ConfigurationError' })
})
