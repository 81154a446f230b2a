import type { Log } from '@keelson/server'
import { createFactory } from '@keelson/storagebackend'
import type { Drivers, StorageFactory } from '@keelson/storagebackend'
import { ConfigurationError } from './configuration-error.ts'

/** The drivers that are built in, loaded when chosen: a server in memory needs no database. `own` ones come before them. */
export function storageDrivers(own: Drivers = {}, log: Log = () => {}): StorageFactory {
  return createFactory({
    etcd3: async ({ transport, prefix, compactionInterval }) => {
      if (transport === undefined) throw new ConfigurationError('the etcd3 storage needs the addresses of its servers')
      const { openEtcd3, TransportError } = await import('@keelson/backend-etcd3')
      try {
        return await openEtcd3({
          transport,
          log,
          ...(prefix === undefined ? {} : { prefix }),
          ...(compactionInterval === undefined ? {} : { compactionInterval }),
        })
      } catch (error) {
        if (error instanceof TransportError) throw new ConfigurationError(error.message, { cause: error })
        throw error
      }
    },
    memory: async () => {
      const { openMemory } = await import('@keelson/backend-embedded')
      return openMemory()
    },
    embedded: async ({ dataDir, durability }) => {
      if (dataDir === undefined) throw new ConfigurationError('the embedded storage needs a data directory')
      const { openEmbedded } = await import('@keelson/backend-embedded')
      return openEmbedded({ dataDir, log, ...(durability && { durability }) })
    },
    ...own,
  })
}
