import type { Clock, KubeObject } from '@keelson/apimachinery'
import type { KeyRange, ObjectSnapshot, Predicate } from '@keelson/storagebackend'
import type { CacheEvent } from './cache-event.ts'
import { ValueIndex } from './value-index.ts'

export interface IndexesOptions {
  /** Every key of the resource starts with it. */
  readonly prefix: string
  /** A field that many select one value of. */
  readonly triggerField?: string | undefined
  readonly clock: Clock
}

/** What an index left of a range to look at. */
export interface Indexed {
  /** Of the index, for metrics. */
  readonly name: string
  /** In order. */
  readonly keys: readonly string[]
  /** Nothing else is asked: what has these keys is what is let through. */
  readonly exact: boolean
}

/** Who selects by more labels than these in turn pays for walks. */
const mostLabels = 4
/** To look up a key costs about what it costs to pass by so many objects. */
const lookup = 8
/** Not the label's own name: there would be no end of values of a metric. */
const labelName = 'l:*'

interface Question<T extends KubeObject> {
  readonly name: string
  readonly index: ValueIndex<T>
  readonly values: ReadonlySet<string>
}

/** Which keys of the newest state a selector may let through, told without a walk: by the trigger field, and by labels that are asked for again and again. */
export class Indexes<T extends KubeObject = KubeObject> {
  readonly #prefix: string
  readonly #clock: Clock
  readonly #triggerField: string | undefined
  readonly #trigger: ValueIndex<T> | undefined
  /** The one that was asked for last is the last. */
  readonly #labels = new Map<string, ValueIndex<T>>()

  constructor({ prefix, triggerField, clock }: IndexesOptions) {
    this.#prefix = prefix
    this.#clock = clock
    this.#triggerField = triggerField
    if (triggerField !== undefined) this.#trigger = new ValueIndex(prefix, (object) => object.field(triggerField))
  }

  /** Undefined when a walk is as good. `state` is the newest. */
  keysFor(predicate: Predicate | undefined, range: KeyRange, state: ObjectSnapshot<T>): Indexed | undefined {
    if (predicate === undefined) return undefined
    const now = this.#clock.now()
    let least = Math.floor(state.count(range) / lookup)
    let best: Question<T> | undefined
    for (const question of this.#questions(predicate)) {
      const count = question.index.count(question.values, state, now)
      if (count === undefined || count > least) continue
      least = count
      best = question
    }
    if (best === undefined) return undefined
    const exact = predicate.labels.requirements.length + predicate.fields.requirements.length === 1
    return { name: best.name, keys: best.index.keysIn(range, best.values), exact }
  }

  /** A change of the newest state. */
  apply(event: CacheEvent<T>): void {
    this.#trigger?.apply(event)
    for (const index of this.#labels.values()) index.apply(event)
  }

  /** The state is another one. */
  reset(): void {
    this.#trigger?.reset()
    this.#labels.clear()
  }

  *#questions({ labels, fields }: Predicate): Generator<Question<T>, undefined> {
    const wanted = this.#trigger && fields.requiresExactMatch(this.#triggerField!)
    if (wanted !== undefined) yield { name: `f:${this.#triggerField!}`, index: this.#trigger!, values: new Set([wanted]) }
    for (const { key, operator, values } of labels.requirements) {
      if (operator !== '=' && operator !== '==' && operator !== 'in') continue
      const index = this.#labelIndex(key)
      if (index !== undefined) yield { name: labelName, index, values: new Set(values) }
    }
  }

  /** Undefined for the first question about a label: most are asked for once. */
  #labelIndex(label: string): ValueIndex<T> | undefined {
    const known = this.#labels.get(label)
    this.#labels.delete(label)
    this.#labels.set(label, known ?? new ValueIndex(this.#prefix, (object) => object.labels?.[label]))
    if (this.#labels.size > mostLabels) for (const oldest of this.#labels.keys()) return void this.#labels.delete(oldest)
    return known
  }
}
