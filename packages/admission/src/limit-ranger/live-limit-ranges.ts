import type { LimitRange } from '@keelson/api/core/v1'
import { systemClock } from '@keelson/apimachinery'
import type { DeepReadonly } from '@keelson/apimachinery'
import type { AdmissionAttributes } from '../admission.ts'
import type { PluginDependencies } from '../admission-plugins.ts'
import { listObjects, messageOf } from '../find-object.ts'
import { forbidden } from '../forbidden.ts'
import { RecentNames } from '../recent-names.ts'

const limitRanges = { group: '', resource: 'limitranges' }

type Ranges = readonly DeepReadonly<LimitRange>[]

/** The limit ranges of a namespace: from the copy here, and where that has none, from the store, once in a while. */
export class LiveLimitRanges {
  readonly #dependencies: PluginDependencies
  /** Namespaces in which the store had none a short while ago. */
  readonly #without: RecentNames
  readonly #asking = new Map<string, Promise<Ranges>>()

  constructor(dependencies: PluginDependencies) {
    this.#dependencies = dependencies
    this.#without = new RecentNames({ capacity: 10_000, ttl: 30_000, clock: dependencies.clock ?? systemClock })
  }

  of(attributes: AdmissionAttributes): Ranges | Promise<Ranges> {
    const copies = listObjects<LimitRange>(this.#dependencies, limitRanges, attributes, attributes.namespace)
    if (copies instanceof Promise) return copies.then((ranges) => (ranges.length > 0 ? ranges : this.#live(attributes)))
    return copies.length > 0 ? copies : this.#live(attributes)
  }

  #live(attributes: AdmissionAttributes): Ranges | Promise<Ranges> {
    const { namespace } = attributes
    const served = this.#dependencies.client.resource<LimitRange>(limitRanges)
    if (served === undefined || this.#without.has(namespace)) return []
    let asking = this.#asking.get(namespace)
    if (asking === undefined) {
      asking = served
        .list({ namespace, resourceVersion: '' })
        .then(({ items }) => {
          if (items.length === 0) this.#without.add(namespace)
          return items
        })
        .finally(() => this.#asking.delete(namespace))
      this.#asking.set(namespace, asking)
    }
    return asking.catch((error: unknown) => {
      throw forbidden(attributes, messageOf(error))
    })
  }
}
