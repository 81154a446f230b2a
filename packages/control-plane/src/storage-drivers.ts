import { createFactory } from '@keelson/storagebackend'
import type { StorageFactory } from '@keelson/storagebackend'
import { ConfigurationError } from './configuration-error.ts'

/** The drivers that are built in. Loaded when chosen: a server in memory needs no database. */
export function storageDrivers(): StorageFactory {
  return createFactory({
    memory: async () => {
      const { openMemory } = await import('@keelson/backend-embedded')
      return openMemory()
    },
    embedded: async ({ dataDir }) => {
      if (dataDir === undefined) throw new ConfigurationError('the embedded storage needs a data directory')
      const { openEmbedded } = await import('@keelson/backend-embedded')
      return openEmbedded({ dataDir })
    },
  })
}
