import type { Clock, KubeObject } from '@keelson/apimachinery'
import type { KeyRange, ObjectSnapshot, Predicate } from '@keelson/storagebackend'
import type { CacheEvent } from './cache-event.ts'
import { ValueIndex } from './value-index.ts'

export interface IndexesOptions {
  /** The prefix of all keys of the resource. */
  readonly prefix: string
  /** The field by which most watches and lists select. */
  readonly triggerField?: string | undefined
  readonly clock: Clock
}

/** The keys of a range that an index found. */
export interface IndexedKeys {
  /** The name of the index, for metrics. */
  readonly name: string
  /** The keys, in order. */
  readonly keys: readonly string[]
  /** Whether the predicate has no other requirement, so that all objects of these keys match. */
  readonly exact: boolean
}

/** The maximum number of indexed labels. Lists by other labels walk the state. */
const maxLabels = 4
/** A lookup of one key costs about as much as examining this number of objects. */
const objectsPerLookup = 8
/** The name of all label indexes in metrics, because the values of a metric must be bounded. */
const labelIndexName = 'l:*'

interface IndexLookup<T extends KubeObject> {
  readonly name: string
  readonly index: ValueIndex<T>
  readonly values: ReadonlySet<string>
}

/**
 * The indexes of the newest state: by the trigger field, and by labels that lists require repeatedly. They find the keys that a selector may match
 * without a walk.
 */
export class Indexes<T extends KubeObject = KubeObject> {
  readonly #prefix: string
  readonly #clock: Clock
  readonly #triggerField: string | undefined
  readonly #trigger: ValueIndex<T> | undefined
  /** Label indexes in order of last use. */
  readonly #labels = new Map<string, ValueIndex<T>>()

  constructor({ prefix, triggerField, clock }: IndexesOptions) {
    this.#prefix = prefix
    this.#clock = clock
    this.#triggerField = triggerField
    if (triggerField !== undefined) this.#trigger = new ValueIndex(prefix, (object) => object.field(triggerField))
  }

  /** Returns the keys for a predicate, or undefined if a walk is as fast. `state` must be the newest. */
  keysFor(predicate: Predicate | undefined, range: KeyRange, state: ObjectSnapshot<T>): IndexedKeys | undefined {
    if (predicate === undefined) return undefined
    const now = this.#clock.now()
    let least = Math.floor(state.count(range) / objectsPerLookup)
    let best: IndexLookup<T> | undefined
    for (const candidate of this.#lookups(predicate)) {
      const count = candidate.index.count(candidate.values, state, now)
      if (count === undefined || count > least) continue
      least = count
      best = candidate
    }
    if (best === undefined) return undefined
    const exact = predicate.labels.requirements.length + predicate.fields.requirements.length === 1
    return { name: best.name, keys: best.index.keysIn(range, best.values), exact }
  }

  /** Applies a change of the newest state. */
  apply(event: CacheEvent<T>): void {
    this.#trigger?.apply(event)
    for (const index of this.#labels.values()) index.apply(event)
  }

  /** Drops all indexes after the state was replaced. */
  reset(): void {
    this.#trigger?.reset()
    this.#labels.clear()
  }

  *#lookups({ labels, fields }: Predicate): Generator<IndexLookup<T>, undefined> {
    const requiredValue = this.#trigger && fields.requiresExactMatch(this.#triggerField!)
    if (requiredValue !== undefined) yield { name: `f:${this.#triggerField!}`, index: this.#trigger!, values: new Set([requiredValue]) }
    for (const { key, operator, values } of labels.requirements) {
      if (operator !== '=' && operator !== '==' && operator !== 'in') continue
      const index = this.#labelIndex(key)
      if (index !== undefined) yield { name: labelIndexName, index, values: new Set(values) }
    }
  }

  /** Returns the index of a label. Undefined for the first list by a label, because most labels are used once. */
  #labelIndex(label: string): ValueIndex<T> | undefined {
    const known = this.#labels.get(label)
    this.#labels.delete(label)
    this.#labels.set(label, known ?? new ValueIndex(this.#prefix, (object) => object.labels?.[label]))
    if (this.#labels.size > maxLabels) for (const oldest of this.#labels.keys()) return void this.#labels.delete(oldest)
    return known
  }
}
