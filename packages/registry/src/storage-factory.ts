import { trim } from '@keelson/apimachinery'
import type { GroupResource } from '@keelson/apimachinery'
import type { Backend, ResourceTransformers, StorageMetrics, ValueTransformer } from '@keelson/storagebackend'
import type { CodecFactory } from './rest-options.ts'

/** Where resources lie whose place is not their plural: the names they had when the first clusters were made. */
export const specialDefaultResourcePrefixes: ReadonlyMap<string, string> = new Map([
  ['replicationcontrollers', 'controllers'],
  ['endpoints', 'services/endpoints'],
  ['nodes', 'minions'],
  ['services', 'services/specs'],
  ['servicenodeportallocations', 'ranges'],
  ['apiServerIPInfo', 'masterleases'],
  ['ingresses.extensions', 'ingress'],
  ['ingresses.networking.k8s.io', 'ingress'],
])

/** Resources that are the same objects under two groups. Each list's first is where they are stored. */
const cohabitating: readonly (readonly GroupResource[])[] = [
  [gr('networking.k8s.io', 'networkpolicies'), gr('extensions', 'networkpolicies')],
  [gr('apps', 'deployments'), gr('extensions', 'deployments')],
  [gr('apps', 'daemonsets'), gr('extensions', 'daemonsets')],
  [gr('apps', 'replicasets'), gr('extensions', 'replicasets')],
  [gr('', 'events'), gr('events.k8s.io', 'events')],
  [gr('networking.k8s.io', 'ingresses'), gr('extensions', 'ingresses')],
]

/** The store that everything goes into. */
export interface StorageOptions {
  readonly backend: Backend
  /** Stores of resources that do not lie in `backend`: "group/resource", or "group/*" for the rest of a group. */
  readonly backendOverrides?: ReadonlyMap<string, Backend>
  readonly createCodec: CodecFactory
  /** What every key starts with. Default "/registry". */
  readonly prefix?: string
  /** Encryption at rest, by the resource under whose place objects are stored. */
  readonly transformerOverrides?: ResourceTransformers
  /** Of all that is stored. Absent: nothing is measured. */
  readonly metrics?: StorageMetrics
}

/** Where one resource is stored, and how. */
export interface StorageConfig {
  readonly backend: Backend
  readonly createCodec: CodecFactory
  /** "/registry/services/specs", without a final slash. */
  readonly resourcePrefix: string
  readonly transformer?: ValueTransformer
  readonly metrics?: StorageMetrics
}

export interface StorageFactory {
  newConfig(resource: GroupResource): StorageConfig
  /** The place under the root: "services/specs". */
  resourcePrefix(resource: GroupResource): string
}

/** Which places resources have; `complete` adds the store, `new` makes the factory. */
export class StorageFactoryConfig {
  readonly resourcePrefixes: Map<string, string> = new Map(specialDefaultResourcePrefixes)
  readonly cohabitatingResources: (readonly GroupResource[])[] = [...cohabitating]

  complete(options: StorageOptions): CompletedStorageFactoryConfig {
    return new CompletedStorageFactoryConfig(this, options)
  }
}

export class CompletedStorageFactoryConfig {
  readonly #config: StorageFactoryConfig
  readonly #options: StorageOptions

  constructor(config: StorageFactoryConfig, options: StorageOptions) {
    this.#config = config
    this.#options = options
  }

  new(): StorageFactory {
    const factory = new DefaultStorageFactory(this.#options, this.#config.resourcePrefixes)
    for (const group of this.#config.cohabitatingResources) factory.addCohabitatingResources(...group)
    return factory
  }
}

export function newStorageFactoryConfig(): StorageFactoryConfig {
  return new StorageFactoryConfig()
}

export class DefaultStorageFactory implements StorageFactory {
  readonly #options: StorageOptions
  readonly #root: string
  readonly #prefixes: ReadonlyMap<string, string>
  readonly #home = new Map<string, GroupResource>()

  constructor(options: StorageOptions, prefixes: ReadonlyMap<string, string>) {
    this.#options = options
    this.#root = `/${trim(options.prefix ?? '/registry', '/')}`
    if (this.#root === '/') throw new Error(`the storage prefix ${JSON.stringify(options.prefix)} names no place`)
    this.#prefixes = prefixes
  }

  /** The first is where all of them are stored. */
  addCohabitatingResources(...resources: readonly GroupResource[]): void {
    for (const resource of resources) this.#home.set(nameOf(resource), resources[0]!)
  }

  newConfig(resource: GroupResource): StorageConfig {
    const { createCodec, transformerOverrides, metrics } = this.#options
    const home = this.#home.get(nameOf(resource)) ?? resource
    const transformer = transformerOverrides?.transformerFor(home)
    return {
      backend: this.#backendOf(home),
      createCodec,
      resourcePrefix: `${this.#root}/${this.resourcePrefix(resource)}`,
      ...(transformer === undefined ? {} : { transformer }),
      ...(metrics === undefined ? {} : { metrics }),
    }
  }

  #backendOf({ group, resource }: GroupResource): Backend {
    const { backend, backendOverrides } = this.#options
    return backendOverrides?.get(`${group}/${resource}`) ?? backendOverrides?.get(`${group}/*`) ?? backend
  }

  resourcePrefix(resource: GroupResource): string {
    const home = this.#home.get(nameOf(resource)) ?? resource
    return this.#prefixes.get(nameOf(resource)) ?? this.#prefixes.get(nameOf(home)) ?? home.resource
  }
}

function gr(group: string, resource: string): GroupResource {
  return { group, resource }
}

function nameOf({ group, resource }: GroupResource): string {
  return group === '' ? resource : `${resource}.${group}`
}
