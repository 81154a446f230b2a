import type { LimitRange } from '@keelson/api/core/v1'
import { getErrorMessage, systemClock } from '@keelson/apimachinery'
import type { DeepReadonly } from '@keelson/apimachinery'
import type { AdmissionAttributes } from '../admission.ts'
import type { PluginDependencies } from '../admission-plugins.ts'
import { listObjects } from '../find-object.ts'
import { newForbiddenWrite } from '../forbidden.ts'
import { RecentNames } from '../recent-names.ts'

const limitRanges = { group: '', resource: 'limitranges' }

type Ranges = readonly DeepReadonly<LimitRange>[]

/**
 * Finds the LimitRanges of a namespace in their informer. If the informer has none, reads them from the store, at most every 30 s per
 * namespace.
 */
export class LiveLimitRanges {
  readonly #dependencies: PluginDependencies
  /** Namespaces for which the store had no LimitRanges within the last 30 s. */
  readonly #emptyNamespaces: RecentNames
  readonly #pendingLists = new Map<string, Promise<Ranges>>()

  constructor(dependencies: PluginDependencies) {
    this.#dependencies = dependencies
    this.#emptyNamespaces = new RecentNames({ capacity: 10_000, ttl: 30_000, clock: dependencies.clock ?? systemClock })
  }

  of(attributes: AdmissionAttributes): Ranges | Promise<Ranges> {
    const copies = listObjects<LimitRange>(this.#dependencies, limitRanges, attributes, attributes.namespace)
    if (copies instanceof Promise) return copies.then((ranges) => (ranges.length > 0 ? ranges : this.#readLive(attributes)))
    return copies.length > 0 ? copies : this.#readLive(attributes)
  }

  #readLive(attributes: AdmissionAttributes): Ranges | Promise<Ranges> {
    const { namespace } = attributes
    const served = this.#dependencies.client.resource<LimitRange>(limitRanges)
    if (served === undefined || this.#emptyNamespaces.has(namespace)) return []
    let pending = this.#pendingLists.get(namespace)
    if (pending === undefined) {
      pending = served
        .list({ namespace, resourceVersion: '' })
        .then(({ items }) => {
          if (items.length === 0) this.#emptyNamespaces.add(namespace)
          return items
        })
        .finally(() => this.#pendingLists.delete(namespace))
      this.#pendingLists.set(namespace, pending)
    }
    return pending.catch((error: unknown) => {
      throw newForbiddenWrite(attributes, getErrorMessage(error))
    })
  }
}
