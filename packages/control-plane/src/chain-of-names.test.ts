import { createGroupHost } from '@keelson/http-installer'
import type { InstallerEnv } from '@keelson/http-installer'
import { createLoopbackClient, createSharedInformers } from '@keelson/loopback'
import { Hono } from 'hono'
import { expect, test } from 'vitest'
import { createGroupServices } from './group-services.ts'
import * as seeds from './seeds.ts'
import { createStorageDrivers } from './storage-drivers.ts'

// Checks the chain of function names from options to driver. Kube-apiserver uses the same names.
test("kube-apiserver's chain of constructors creates a storage from its options", async () => {
  const config = await seeds.buildGenericConfig({ storage: { type: 'memory', prefix: '/elsewhere' } })
  const { scheme, types, backends } = config
  const configMaps = { group: '', resource: 'configmaps' }
  const storageFactory = seeds.newStorageFactoryConfig().complete({ backend: backends.main, createCodec: createNoCodec }).new()
  expect(storageFactory.newConfig(configMaps).resourcePrefix).toBe('/registry/configmaps')
  const { restOptionsGetter } = seeds.applyWithStorageFactoryTo(config.storageFactory, {}, config.metrics)
  expect(restOptionsGetter.getRESTOptions(configMaps)).toMatchObject({ resourcePrefix: '/elsewhere/configmaps', backend: backends.main })

  const client = createLoopbackClient({ scheme, types })
  const informers = createSharedInformers(client)
  const host = createGroupHost({
    app: new Hono<InstallerEnv>(),
    scheme,
    types,
    restOptions: restOptionsGetter,
    admission: { handles: () => false, admit: async () => {}, validate: async () => {} },
    services: createGroupServices(config, { client, informers, legacy: {} }),
    client,
  })
  const core = seeds.installLegacyAPIGroup(host)
  await client.resource(configMaps)!.create('default', { metadata: { name: 'a' } })
  expect((await backends.main.get('/elsewhere/configmaps/default/a')).entry).toBeDefined()
  await core[Symbol.asyncDispose]()
  expect([client.resource(configMaps), host.storages.size]).toEqual([undefined, 0])
  await backends[Symbol.asyncDispose]()
})

function createNoCodec(): never {
  throw new Error('no storage is made here')
}

test('unknown drivers are rejected by name', async () => {
  await expect(createStorageDrivers().create({ type: 'etcd2' })).rejects.toThrow('etcd2 is no longer a supported storage backend')
  await expect(createStorageDrivers().create({ type: 'paper' })).rejects.toThrow('paper')
  await expect(createStorageDrivers().create({ type: 'embedded' })).rejects.toMatchObject({ name: 'ConfigurationError' })
})
