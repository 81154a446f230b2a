import { findClosestMatch } from '@keelson/apimachinery'
import { directEgress } from '@keelson/outbound'
import type { EgressSelector } from '@keelson/outbound'
import { createFactory } from '@keelson/storagebackend'
import type { StorageFactory } from '@keelson/storagebackend'
import { ConfigurationError } from './configuration-error.ts'
import type { ServerChainOptions } from './options/server-chain-options.ts'
import type { StorageOptions } from './options/storage.ts'

type DriverOptions = Pick<ServerChainOptions, 'clock' | 'storage' | 'log'>

/**
 * Creates the storage factory with the built-in drivers, which are loaded when they are first used. etcd is reached as the egress selector says. Drivers in the options replace built-in
 * ones with the same name.
 */
export function createStorageDrivers(
  { storage: { drivers } = {}, log = () => {}, clock }: DriverOptions = {},
  { dial, hasProxy }: EgressSelector = directEgress,
): StorageFactory {
  const clockOption = clock === undefined ? {} : { clock }
  return createFactory({
    etcd3: async ({ transport, prefix, compactionInterval }) => {
      if (transport === undefined) throw new ConfigurationError('the etcd3 storage needs server addresses')
      const { openEtcd3, TransportError } = await import('@keelson/backend-etcd3')
      try {
        return await openEtcd3({
          transport,
          log,
          ...(hasProxy('etcd') && { egress: (host, port, signal) => dial({ host, port }, { network: 'etcd', signal }) }),
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
      return openMemory(clockOption)
    },
    embedded: async ({ dataDir, durability }) => {
      if (dataDir === undefined) throw new ConfigurationError('the embedded storage needs a data directory')
      const { openEmbedded } = await import('@keelson/backend-embedded')
      return openEmbedded({ dataDir, ...clockOption, log, ...(durability && { durability }) })
    },
    ...drivers,
  })
}

const builtinTypes = ['memory', 'embedded', 'etcd3']

/** Returns a sentence that describes the problem if the storage type is unknown. */
export function findStorageTypeProblems({ type, drivers = {} }: StorageOptions = {}): readonly string[] {
  const knownTypes = [...new Set([...builtinTypes, ...Object.keys(drivers)])]
  if (type === undefined || type === '' || type === 'etcd2' || knownTypes.includes(type)) return []
  const guess = findClosestMatch(type, knownTypes)
  const hint = guess === undefined ? `allowed: ${knownTypes.join(', ')}` : `did you mean ${JSON.stringify(guess)}?`
  return [`storage.type: unknown storage type ${JSON.stringify(type)}; ${hint}`]
}
