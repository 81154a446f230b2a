import type { Backend, Config, StorageFactory } from '@keelson/storagebackend'

/** The stores of a server: one for everything, and those of some resources, if they have their own. */
export interface Backends extends AsyncDisposable {
  readonly main: Backend
  /** By resource, "/events" or "apps/deployments"; "apps/*" is the rest of a group. */
  readonly overrides: ReadonlyMap<string, Backend>
  /** Each once, the main one first. */
  readonly all: readonly Backend[]
}

/** What `--etcd-servers-overrides` says of one resource. */
export interface StorageOverride {
  /** "group/resource"; the group of core is "". */
  readonly resource: string
  readonly servers: readonly string[]
}

export interface OpenBackendsOptions {
  /** An open one. Whoever opened it closes it. */
  readonly main?: Backend
  readonly overrides?: readonly StorageOverride[]
}

/** Opens all of them, resources with the same servers on one; or none, when one cannot be opened. */
export async function openBackends(
  factory: StorageFactory,
  config: Config,
  { main, overrides = [] }: OpenBackendsOptions = {},
): Promise<Backends> {
  const places = [...new Set(overrides.map(({ servers }) => servers.join(';')))]
  const opening = places.map((place) => factory.create({ ...config, transport: { ...config.transport, serverList: place.split(';') } }))
  const settled = await Promise.allSettled([main ?? factory.create(config), ...opening])
  const all = settled.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
  const close = async (): Promise<void> => {
    const opened = all.filter((backend) => backend !== main)
    await Promise.all(opened.map((backend) => backend[Symbol.asyncDispose]()))
  }
  const failed = settled.find((result) => result.status === 'rejected')
  if (failed !== undefined) {
    await close()
    throw failed.reason
  }
  return {
    main: all[0]!,
    overrides: new Map(overrides.map(({ resource, servers }) => [resource, all[1 + places.indexOf(servers.join(';'))]!])),
    all,
    [Symbol.asyncDispose]: close,
  }
}
