import { trim } from '@keelson/apimachinery'
import type { GroupResource } from '@keelson/apimachinery'
import type { Backend, ResourceTransformers, StorageMetrics, ValueTransformer } from '@keelson/storagebackend'
import type { StorageFacts } from './resource-definition.ts'
import type { CodecFactory } from './rest-options.ts'

/** The stores of a server and their settings. */
export interface StorageOptions {
  readonly backend: Backend
  /** Stores for some resources, instead of `backend`. Keys are "group/resource", or "group/*" for the rest of a group. */
  readonly backendOverrides?: ReadonlyMap<string, Backend>
  readonly createCodec: CodecFactory
  /** The prefix of every key. Default "/registry". */
  readonly prefix?: string
  /** Transformers for encryption at rest, by resource. */
  readonly transformerOverrides?: ResourceTransformers
  /** Metrics of all storages. Absent: nothing is measured. */
  readonly metrics?: StorageMetrics
}

/** The store of one resource, and its settings. */
export interface StorageConfig {
  readonly backend: Backend
  readonly createCodec: CodecFactory
  /** The prefix of keys without the final slash: "/registry/services/specs". */
  readonly resourcePrefix: string
  readonly transformer?: ValueTransformer
  readonly metrics?: StorageMetrics
}

export interface StorageFactory {
  newConfig(resource: GroupResource, facts?: Pick<StorageFacts, 'prefix'>): StorageConfig
}

/** The first step of creating a `DefaultStorageFactory`: `complete` adds the options and returns a `CompletedStorageFactoryConfig`. */
export class StorageFactoryConfig {
  complete(options: StorageOptions): CompletedStorageFactoryConfig {
    return new CompletedStorageFactoryConfig(options)
  }
}

/** The second step of creating a `DefaultStorageFactory`: `new` creates the factory. */
export class CompletedStorageFactoryConfig {
  readonly #options: StorageOptions

  constructor(options: StorageOptions) {
    this.#options = options
  }

  new(): StorageFactory {
    return new DefaultStorageFactory(this.#options)
  }
}

export function newStorageFactoryConfig(): StorageFactoryConfig {
  return new StorageFactoryConfig()
}

/** Maps each resource to its store and key prefix. */
export class DefaultStorageFactory implements StorageFactory {
  readonly #options: StorageOptions
  readonly #root: string

  constructor(options: StorageOptions) {
    this.#options = options
    this.#root = `/${trim(options.prefix ?? '/registry', '/')}`
    if (this.#root === '/') throw new Error(`the storage prefix ${JSON.stringify(options.prefix)} must not be empty`)
  }

  newConfig(resource: GroupResource, { prefix = resource.resource }: Pick<StorageFacts, 'prefix'> = {}): StorageConfig {
    const { createCodec, transformerOverrides, metrics } = this.#options
    const transformer = transformerOverrides?.findTransformer(resource)
    return {
      backend: this.#getBackend(resource),
      createCodec,
      resourcePrefix: `${this.#root}/${prefix}`,
      ...(transformer === undefined ? {} : { transformer }),
      ...(metrics === undefined ? {} : { metrics }),
    }
  }

  #getBackend({ group, resource }: GroupResource): Backend {
    const { backend, backendOverrides } = this.#options
    return backendOverrides?.get(`${group}/${resource}`) ?? backendOverrides?.get(`${group}/*`) ?? backend
  }
}
