import type { Backend } from './backend.ts'

/** The storage settings of flags and configuration file. */
export interface Config {
  /** The name of a driver. Default "etcd3". */
  readonly type?: 'memory' | 'embedded' | 'etcd3' | (string & {})
  /** The prefix of all keys. Default "/registry". */
  readonly prefix?: string
  readonly transport?: TransportConfig
  /** etcd3 only: milliseconds between compactions, or 0 for none. Default: 5 minutes. */
  readonly compactionInterval?: number
  /** embedded only: the data directory. */
  readonly dataDir?: string
  /** embedded only: "fsync" resolves a write when it is on disk, "memory" before that. Default: "fsync". */
  readonly durability?: 'fsync' | 'memory'
}

export interface TransportConfig {
  readonly serverList: readonly string[]
  readonly keyFile?: string
  readonly certFile?: string
  readonly trustedCAFile?: string
}

/** Opens a driver with the configured settings. */
export type OpenDriver = (config: Config) => Promise<Backend>

/** The drivers of a program, by `type`. The package has none, because each driver has its own dependencies. */
export type Drivers = Readonly<Record<string, OpenDriver | undefined>>

export interface StorageFactory {
  create(config: Config): Promise<Backend>
}

/** Creates a factory that opens the configured driver. */
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
