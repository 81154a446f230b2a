import type { LimitRange } from '@keelson/api/core/v1'
import { systemClock } from '@keelson/apimachinery'
import type { DeepReadonly } from '@keelson/apimachinery'
import type { AdmissionAttributes } from '../admission.ts'
import type { PluginDependencies } from '../admission-plugins.ts'
import { listObjects, messageOf } from '../find-object.ts'
import { forbidden } from '../forbidden.ts'

const limitRanges = { group: '', resource: 'limitranges' }
/** How long an empty answer of the store is believed. */
const believedFor = 30_000
const capacity = 10_000

type Ranges = readonly DeepReadonly<LimitRange>[]

/** The limit ranges of a namespace: from the copy here, and where that has none, from the store, once in a while. */
export class LiveLimitRanges {
  readonly #dependencies: PluginDependencies
  readonly #answers = new Map<string, { readonly until: number; readonly ranges: Ranges }>()
  readonly #asking = new Map<string, Promise<Ranges>>()

  constructor(dependencies: PluginDependencies) {
    this.#dependencies = dependencies
  }

  of(attributes: AdmissionAttributes): Ranges | Promise<Ranges> {
    const { namespace } = attributes
    const copies = listObjects<LimitRange>(this.#dependencies, limitRanges, attributes, namespace)
    if (copies instanceof Promise) return copies.then((ranges) => (ranges.length > 0 ? ranges : this.#live(attributes)))
    return copies.length > 0 ? copies : this.#live(attributes)
  }

  #live(attributes: AdmissionAttributes): Ranges | Promise<Ranges> {
    const { namespace } = attributes
    const { client, clock = systemClock } = this.#dependencies
    const served = client.resource<LimitRange>(limitRanges)
    if (served === undefined) return []
    const known = this.#answers.get(namespace)
    if (known !== undefined && known.until > clock.now()) return known.ranges
    let asking = this.#asking.get(namespace)
    if (asking === undefined) {
      asking = served
        .list({ namespace, resourceVersion: '' })
        .then(({ items }) => {
          this.#remember(namespace, { until: clock.now() + believedFor, ranges: items })
          return items
        })
        .finally(() => this.#asking.delete(namespace))
      this.#asking.set(namespace, asking)
    }
    return asking.catch((error: unknown) => {
      throw forbidden(attributes, messageOf(error))
    })
  }

  /** The oldest answer makes room. */
  #remember(namespace: string, answer: { readonly until: number; readonly ranges: Ranges }): void {
    this.#answers.delete(namespace)
    this.#answers.set(namespace, answer)
    for (const oldest of this.#answers.keys()) {
      if (this.#answers.size <= capacity) break
      this.#answers.delete(oldest)
    }
  }
}
