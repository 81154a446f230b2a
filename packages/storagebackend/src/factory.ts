import type { Backend } from './backend.ts'

/** Where the data is. What flags and the configuration file say about storage. */
export interface Config {
  /** Unset is "etcd3". Others are names of drivers. */
  readonly type?: 'memory' | 'embedded' | 'etcd3' | (string & {})
  /** Below which all keys lie. Default "/registry". */
  readonly prefix?: string
  readonly transport?: TransportConfig
  /** etcd3: milliseconds between compactions, 0 for none. Default 5 minutes. */
  readonly compactionInterval?: number
  /** embedded: the directory. */
  readonly dataDir?: string
  /** embedded: when a write is answered; "fsync" when it is on disk, "memory" before. Default "fsync". */
  readonly durability?: 'fsync' | 'memory'
}

export interface TransportConfig {
  readonly serverList: readonly string[]
  readonly keyFile?: string
  readonly certFile?: string
  readonly trustedCAFile?: string
}

export type OpenDriver = (config: Config) => Promise<Backend>

/** The drivers a program was built with, by the name that `type` gives. None is built in: each brings its own dependencies. */
export type Drivers = Readonly<Record<string, OpenDriver | undefined>>

export interface StorageFactory {
  create(config: Config): Promise<Backend>
}

export function createFactory(drivers: Drivers): StorageFactory {
  return {
    async create(config) {
      const type = config.type || 'etcd3'
      if (type === 'etcd2') throw new Error(`${type} is no longer a supported storage backend`)
      const open = Object.hasOwn(drivers, type) ? drivers[type] : undefined
      if (open === undefined) {
        const allowed = Object.keys(drivers).sort()
        throw new Error(`unknown storage type: ${type}; allowed: ${allowed.join(', ')}`)
      }
      return open(config)
    },
  }
}
