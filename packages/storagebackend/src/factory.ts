import type { Backend } from './backend.ts'

/** Where the data is. What flags and the configuration file say about storage. */
export interface Config {
  /** Unset is "etcd3". */
  readonly type?: string
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

/** The drivers a program was built with. None is built in: each brings its own dependencies. */
export interface Drivers {
  readonly etcd3?: OpenDriver
  readonly embedded?: OpenDriver
  readonly memory?: OpenDriver
}

export interface StorageFactory {
  create(config: Config): Promise<Backend>
}

export function createFactory(drivers: Drivers): StorageFactory {
  return {
    async create(config) {
      const type = config.type || 'etcd3'
      switch (type) {
        case 'etcd2':
          throw new Error(`${type} is no longer a supported storage backend`)
        case 'etcd3':
        case 'embedded':
        case 'memory': {
          const open = drivers[type]
          if (!open) throw new Error(`storage type ${type} is not built into this program`)
          return open(config)
        }
        default:
          throw new Error(`unknown storage type: ${type}`)
      }
    },
  }
}
