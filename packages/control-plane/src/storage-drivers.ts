import { createFactory } from '@keelson/storagebackend'
import type { StorageFactory } from '@keelson/storagebackend'
import { ConfigurationError } from './configuration-error.ts'
import type { ServerChainOptions } from './server-chain-options.ts'

type DriverOptions = Pick<ServerChainOptions, 'clock' | 'drivers' | 'log'>

/** The drivers that are built in, loaded when chosen: a server in memory needs no database. Those of the options come before them. */
export function storageDrivers({ drivers, log = () => {}, clock }: DriverOptions = {}): StorageFactory {
  const timed = clock === undefined ? {} : { clock }
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
      return openMemory(timed)
    },
    embedded: async ({ dataDir, durability }) => {
      if (dataDir === undefined) throw new ConfigurationError('the embedded storage needs a data directory')
      const { openEmbedded } = await import('@keelson/backend-embedded')
      return openEmbedded({ dataDir, ...timed, log, ...(durability && { durability }) })
    },
    ...drivers,
  })
}
