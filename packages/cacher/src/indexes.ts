import type { Clock, KubeObject } from '@keelson/apimachinery'
import type { KeyRange, ObjectSnapshot, Predicate } from '@keelson/storagebackend'
import type { CacheEvent } from './cache-event.ts'
import { ValueIndex } from './value-index.ts'

export interface IndexesOptions {
  /** The prefix of all keys of the resource. */
  readonly prefix: string
  /** The selectable field that most watches and lists use. */
  readonly triggerField?: string | undefined
  readonly clock: Clock
}

/** The keys in a range that an index found. */
export interface IndexedKeys {
  /** The name of the index in metrics. */
  readonly name: string
  /** The keys, in UTF-8 order. */
  readonly keys: readonly string[]
  /** Whether all objects of these keys match the predicate. True if the predicate has no requirement besides the indexed one. */
  readonly exact: boolean
}

/** The maximum number of indexed labels. Lists by other labels test all objects. */
const maxLabels = 4
/** The number of objects that can be tested in the time of looking up one key. */
const objectsPerLookup = 8
/** The name of every label index in metrics. Label keys are not used, because the values of a metric label must be bounded. */
const labelIndexName = 'l:*'

interface IndexLookup<T extends KubeObject> {
  readonly name: string
  readonly index: ValueIndex<T>
  readonly values: ReadonlySet<string>
}

/**
 * Indexes of the newest state: one by the trigger field, and one for each label that lists select repeatedly. An index finds the keys of
 * the objects that a selector may match, without testing all objects.
 */
export class Indexes<T extends KubeObject = KubeObject> {
  readonly #prefix: string
  readonly #clock: Clock
  readonly #triggerField: string | undefined
  readonly #trigger: ValueIndex<T> | undefined
  /** Label indexes, with the most recently used one last. */
  readonly #labels = new Map<string, ValueIndex<T>>()

  constructor({ prefix, triggerField, clock }: IndexesOptions) {
    this.#prefix = prefix
    this.#clock = clock
    this.#triggerField = triggerField
    if (triggerField !== undefined) this.#trigger = new ValueIndex(prefix, (object) => object.field(triggerField))
  }

  /**
   * Returns the keys that the predicate may match. Returns undefined if testing all objects is as fast. `state` must be the newest state.
   */
  keysFor(predicate: Predicate | undefined, range: KeyRange, state: ObjectSnapshot<T>): IndexedKeys | undefined {
    if (predicate === undefined) return undefined
    const now = this.#clock.now()
    let lookupLimit = Math.floor(state.count(range) / objectsPerLookup)
    let best: IndexLookup<T> | undefined
    for (const candidate of this.#listLookups(predicate)) {
      const count = candidate.index.count(candidate.values, state, now)
      if (count === undefined || count > lookupLimit) continue
      lookupLimit = count
      best = candidate
    }
    if (best === undefined) return undefined
    const exact = predicate.labels.requirements.length + predicate.fields.requirements.length === 1
    return { name: best.name, keys: best.index.keysIn(range, best.values), exact }
  }

  /** Applies a change of the newest state to all indexes. */
  apply(event: CacheEvent<T>): void {
    this.#trigger?.apply(event)
    for (const index of this.#labels.values()) index.apply(event)
  }

  /** Drops all indexes. Called after the state was replaced. */
  reset(): void {
    this.#trigger?.reset()
    this.#labels.clear()
  }

  *#listLookups({ labels, fields }: Predicate): Generator<IndexLookup<T>, undefined> {
    const requiredValue = this.#trigger && fields.requiresExactMatch(this.#triggerField!)
    if (requiredValue !== undefined) yield { name: `f:${this.#triggerField!}`, index: this.#trigger!, values: new Set([requiredValue]) }
    for (const { key, operator, values } of labels.requirements) {
      if (operator !== '=' && operator !== '==' && operator !== 'in') continue
      const index = this.#labelIndex(key)
      if (index !== undefined) yield { name: labelIndexName, index, values: new Set(values) }
    }
  }

  /** Returns the index of a label. Returns undefined for the first list by a label, because most labels are selected only once. */
  #labelIndex(label: string): ValueIndex<T> | undefined {
    const labelIndex = this.#labels.get(label)
    this.#labels.delete(label)
    this.#labels.set(label, labelIndex ?? new ValueIndex(this.#prefix, (object) => object.labels?.[label]))
    if (this.#labels.size > maxLabels) for (const oldest of this.#labels.keys()) return void this.#labels.delete(oldest)
    return labelIndex
  }
}
