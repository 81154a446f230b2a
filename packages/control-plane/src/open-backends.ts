import type { Backend, Config, StorageFactory } from '@keelson/storagebackend'
import type { StorageOverride } from './options/storage.ts'

/** Open stores of a server: the main store, and the stores of resources that have separate etcd servers. */
export interface Backends extends AsyncDisposable {
  readonly main: Backend
  /** Stores by resource, such as "/events" or "apps/deployments". The key "apps/*" applies to all other resources of a group. */
  readonly overrides: ReadonlyMap<string, Backend>
  /** All stores without duplicates. The main store is the first. */
  readonly stores: readonly Backend[]
}

export interface OpenBackendsOptions {
  /** A store that is already open and that the caller closes. It is used as the main store. */
  readonly main?: Backend
  readonly overrides?: readonly StorageOverride[]
}

/** Opens all stores. Overrides with the same server addresses share one store. Closes all stores again if one cannot be opened. */
export async function openBackends(
  factory: StorageFactory,
  config: Config,
  { main, overrides = [] }: OpenBackendsOptions = {},
): Promise<Backends> {
  const serverLists = [...new Set(overrides.map(({ servers }) => servers.join(';')))]
  const opening = serverLists.map((serverList) =>
    factory.create({ ...config, transport: { ...config.transport, serverList: serverList.split(';') } }),
  )
  const settled = await Promise.allSettled([main ?? factory.create(config), ...opening])
  const backends = settled.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
  const close = async (): Promise<void> => {
    const ownBackends = backends.filter((backend) => backend !== main)
    await Promise.all(ownBackends.map((backend) => backend[Symbol.asyncDispose]()))
  }
  const failed = settled.find((result) => result.status === 'rejected')
  if (failed !== undefined) {
    await close()
    throw failed.reason
  }
  return {
    main: backends[0]!,
    overrides: new Map(overrides.map(({ resource, servers }) => [resource, backends[1 + serverLists.indexOf(servers.join(';'))]!])),
    stores: backends,
    [Symbol.asyncDispose]: close,
  }
}
