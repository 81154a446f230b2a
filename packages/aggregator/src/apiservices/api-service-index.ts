import type { APIService } from '@keelson/api/apiregistration/v1'
import { TimeSlice } from '@keelson/apimachinery'
import type { Clock, DeepReadonly } from '@keelson/apimachinery'
import { followResource } from '@keelson/loopback'
import type { LoopbackResource, ObjectChange } from '@keelson/loopback'
import type { ServiceReference } from '@keelson/outbound'
import type { StoredObject } from '@keelson/storagebackend'
import { findAvailable } from './conditions.ts'
import type { Availability } from './conditions.ts'

/** The parts of an APIService that the aggregator needs. */
export interface ApiServiceRecord {
  readonly name: string
  readonly uid: string
  readonly revision: number
  readonly group: string
  readonly version: string
  readonly groupPriority: number
  readonly versionPriority: number
  /** Value of the label that says who creates and deletes the object. "" if the label is absent. */
  readonly managed: string
  /** Undefined if this server serves the group version itself. */
  readonly service: ServiceReference | undefined
  /** CA certificates in Base64. "" if there are none. */
  readonly caBundle: string
  readonly insecureSkipTLSVerify: boolean
  /** The condition Available. */
  readonly available: Availability | undefined
}

/** A change of an APIService. `old` is absent for a new one, `record` for a deleted one. */
export interface ApiServiceChange {
  readonly name: string
  readonly record: ApiServiceRecord | undefined
  readonly old: ApiServiceRecord | undefined
}

export interface ApiServiceIndexOptions {
  readonly clock: Clock
  readonly onError: (error: unknown) => void
}

/** The label of APIServices that the server creates: "onstart" for built-in groups, "true" for groups that come and go. */
export const managedLabel = 'kube-aggregator.kubernetes.io/automanaged'

/** All APIServices of the store. Follows their changes by a watch, and keeps only the parts that the aggregator needs. */
export class ApiServiceIndex implements AsyncDisposable {
  /**
   * Resolves to true when all APIServices that existed at the start are in the index, and the handlers have been called for each. Resolves to
   * false if the index is disposed before.
   */
  readonly synced: Promise<boolean>
  /** Number that changes with each change of an APIService. */
  generation = 0
  readonly #records = new Map<string, ApiServiceRecord>()
  readonly #handlers = new Set<(change: ApiServiceChange) => void>()
  readonly #options: ApiServiceIndexOptions
  readonly #stop = new AbortController()
  #markSynced: (synced: boolean) => void = () => {}
  #syncing: Promise<void> | undefined

  constructor(options: ApiServiceIndexOptions) {
    this.#options = options
    this.synced = new Promise((resolve) => (this.#markSynced = resolve))
  }

  /** Adds a handler of changes. Handlers are called in the order in which they were added. */
  subscribe(handler: (change: ApiServiceChange) => void): void {
    this.#handlers.add(handler)
  }

  /** Starts to follow the APIServices, after the handlers have been added. */
  follow(resource: LoopbackResource<APIService>): void {
    const sink = {
      replace: async (objects: readonly StoredObject<APIService>[]) => {
        await this.#replace(objects)
        this.#markSynced(!this.#stop.signal.aborted)
      },
      apply: ({ type, object }: ObjectChange<APIService>) => {
        if (type === 'DELETED') this.#remove(object.field('metadata.name'))
        else this.#put(object)
      },
    }
    this.#syncing = followResource(resource, sink, { ...this.#options, signal: this.#stop.signal })
  }

  get(name: string): ApiServiceRecord | undefined {
    return this.#records.get(name)
  }

  listRecords(): Iterable<ApiServiceRecord> {
    return this.#records.values()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    this.#markSynced(false)
    await this.#syncing
  }

  async #replace(objects: readonly StoredObject<APIService>[]): Promise<void> {
    const removedNames = new Set(this.#records.keys())
    const slice = new TimeSlice()
    for (const stored of objects) {
      const name = stored.field('metadata.name')
      removedNames.delete(name)
      if (this.#records.get(name)?.revision !== stored.revision) this.#put(stored)
      const pause = slice.pauseIfOver()
      if (pause) await pause
      if (this.#stop.signal.aborted) return
    }
    for (const name of removedNames) this.#remove(name)
  }

  #put(stored: StoredObject<APIService>): void {
    let record: ApiServiceRecord
    try {
      record = readRecord(stored.object(), stored.revision)
    } catch (error) {
      this.#options.onError(error)
      return
    }
    const { name } = record
    const old = this.#records.get(name)
    this.#records.set(name, record)
    this.#notify({ name, record, old })
  }

  #remove(name: string): void {
    const old = this.#records.get(name)
    if (old === undefined) return
    this.#records.delete(name)
    this.#notify({ name, record: undefined, old })
  }

  #notify(change: ApiServiceChange): void {
    this.generation++
    for (const handler of this.#handlers) {
      try {
        handler(change)
      } catch (error) {
        this.#options.onError(error)
      }
    }
  }
}

export function readRecord(apiService: DeepReadonly<APIService>, revision: number): ApiServiceRecord {
  const { metadata, spec } = apiService
  const { name = '', uid = '', labels } = metadata
  const { group = '', version = '', service, caBundle = '', insecureSkipTLSVerify = false } = spec ?? {}
  const available = findAvailable(apiService)
  return {
    name,
    uid,
    revision,
    group,
    version,
    groupPriority: spec?.groupPriorityMinimum ?? 0,
    versionPriority: spec?.versionPriority ?? 0,
    managed: labels?.[managedLabel] ?? '',
    service: service && { namespace: service.namespace ?? '', name: service.name ?? '', port: service.port ?? 443 },
    caBundle,
    insecureSkipTLSVerify,
    available: available && {
      status: available.status as Availability['status'],
      reason: available.reason ?? '',
      message: available.message ?? '',
    },
  }
}
