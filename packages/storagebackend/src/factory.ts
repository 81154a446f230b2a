import type { Backend } from './backend.ts'

/** The storage settings from command line flags and the configuration file. */
export interface Config {
  /** The type of the store. Default: "etcd3". */
  readonly type?: 'memory' | 'embedded' | 'etcd3' | (string & {})
  /** The prefix of all keys. Default: "/registry". */
  readonly prefix?: string
  readonly transport?: TransportConfig
  /** For etcd3 only: the interval between compactions in milliseconds. 0 disables compaction. Default: 5 minutes. */
  readonly compactionInterval?: number
  /** For embedded only: the data directory. */
  readonly dataDir?: string
  /** For embedded only: when a write resolves. With "fsync" it resolves after it is on disk, with "memory" before. Default: "fsync". */
  readonly durability?: 'fsync' | 'memory'
}

export interface TransportConfig {
  readonly serverList: readonly string[]
  readonly keyFile?: string
  readonly certFile?: string
  readonly trustedCAFile?: string
}

/** Opens a driver with the given settings. */
export type OpenDriver = (config: Config) => Promise<Backend>

/** The drivers of a program, with the `type` of each as the key. The program passes them, because each driver has its own dependencies. */
export type Drivers = Readonly<Record<string, OpenDriver | undefined>>

export interface StorageFactory {
  create(config: Config): Promise<Backend>
}

/** Creates a factory that opens the driver which the settings select. */
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
