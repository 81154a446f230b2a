import type { KubeObject } from '@keelson/apimachinery'
import type { CacheEvent, Selection } from './cache-event.ts'
import type { CacheWatcher, Trigger } from './cache-watcher.ts'

export interface DispatcherOptions {
  /** The prefix of all keys of the resource. */
  readonly prefix: string
  /** The selectable field that most watchers use, for example "spec.nodeName". */
  readonly triggerField?: string | undefined
}

/**
 * Finds the watchers that may match an event, without testing all watchers. Each watcher is in one bucket, which is that of its most
 * selective requirement:
 *
 *   field  n1                          spec.nodeName=n1: all watches of that value, with any prefix
 *   name   /registry/pods/ns/ + a      one name under a prefix
 *   under  /registry/pods/ns/          everything under a prefix
 *   key    /registry/pods/ns/a         one key (a watch that is not recursive)
 *
 * For an event at /registry/pods/ns/a, `candidates` looks up the "key" bucket of the key, and the "field" buckets of the field's values before and
 * after the change. For each prefix of the key it also looks up "under" and "name". The number of lookups does not depend on the number of
 * watchers. Empty maps are skipped.
 */
export class Dispatcher<T extends KubeObject = KubeObject> {
  readonly #prefix: string
  readonly #triggerField: string | undefined
  readonly #buckets: Readonly<Record<Bucket['type'], Buckets<T>>> = {
    field: new Map(),
    name: new Map(),
    under: new Map(),
    key: new Map(),
  }
  #touched: CacheWatcher<T>[] = []

  constructor(options: DispatcherOptions) {
    this.#prefix = options.prefix
    this.#triggerField = options.triggerField
  }

  add(watcher: CacheWatcher<T>): void {
    const { type, name } = this.#getBucket(watcher.selection)
    const bucket = this.#buckets[type].get(name)
    if (bucket instanceof Set) bucket.add(watcher)
    else this.#buckets[type].set(name, bucket === undefined ? watcher : new Set([bucket, watcher]))
  }

  delete(watcher: CacheWatcher<T>): void {
    const { type, name } = this.#getBucket(watcher.selection)
    const bucket = this.#buckets[type].get(name)
    if (bucket === watcher) this.#buckets[type].delete(name)
    else if (bucket instanceof Set && bucket.delete(watcher) && bucket.size === 0) this.#buckets[type].delete(name)
  }

  /**
   * Returns the trigger field and the value that the selection requires for it. Returns undefined if the selection has any other
   * requirement.
   */
  findTrigger(selection: Selection<T>): Trigger | undefined {
    const field = this.#triggerField
    const value = field === undefined ? undefined : selection.requiresOnly(field, this.#prefix)
    return value === undefined ? undefined : { field: field!, value }
  }

  /** Returns the watchers that may match the event, each at most once. */
  candidates({ key, object, previous }: CacheEvent<T>): CacheWatcher<T>[] {
    const { field, name, under, key: exact } = this.#buckets
    const candidates: CacheWatcher<T>[] = []
    const lookUp = (buckets: Buckets<T>, name: string): void => {
      const bucket = buckets.get(name)
      if (bucket instanceof Set) for (const watcher of bucket) candidates.push(watcher)
      else if (bucket !== undefined) candidates.push(bucket)
    }
    if (field.size > 0) {
      const now = object?.field(this.#triggerField!)
      const oldValue = previous?.field(this.#triggerField!)
      if (now !== undefined) lookUp(field, now)
      if (oldValue !== undefined && oldValue !== now) lookUp(field, oldValue)
    }
    if (exact.size > 0) lookUp(exact, key)
    if (under.size === 0 && name.size === 0) return candidates
    // For every built-in resource, the last segment of the key is the object's name.
    const objectName = key.slice(key.lastIndexOf('/') + 1)
    for (let end = this.#prefix.length; end > 0; end = key.indexOf('/', end) + 1) {
      const prefix = key.slice(0, end)
      lookUp(under, prefix)
      if (name.size > 0) lookUp(name, `${prefix} ${objectName}`)
    }
    return candidates
  }

  /**
   * Pushes the events of one revision to the watchers that they concern. `position` is the position of the first event in the ring. Readers
   * are woken later by `flush`.
   */
  dispatch(events: readonly CacheEvent<T>[], position: number): void {
    const watchers = events.length === 1 ? this.candidates(events[0]!) : new Set(events.flatMap((event) => this.candidates(event)))
    for (const watcher of watchers) if (watcher.push(events, position)) this.#touched.push(watcher)
  }

  /** Wakes the readers that got events since the last call. Call it once per batch of the store. */
  flush(): void {
    if (this.#touched.length === 0) return
    const touched = this.#touched
    this.#touched = []
    for (const watcher of touched) watcher.wake()
  }

  #getBucket(selection: Selection<T>): Bucket {
    if (!selection.recursive) return { type: 'key', name: selection.key }
    const trigger = this.#triggerField === undefined ? undefined : selection.requires(this.#triggerField)
    if (trigger !== undefined) return { type: 'field', name: trigger }
    const namespace = selection.key === this.#prefix ? selection.requires('metadata.namespace') : undefined
    // An empty metadata.namespace selects cluster-wide objects, so the watcher belongs to the bucket of the prefix.
    const under = namespace === undefined || namespace === '' ? selection.key : `${selection.key}${namespace}/`
    const name = selection.requires('metadata.name')
    return name === undefined ? { type: 'under', name: under } : { type: 'name', name: `${under} ${name}` }
  }
}

interface Bucket {
  readonly type: 'field' | 'name' | 'under' | 'key'
  readonly name: string
}

/**
 * Groups of watchers by key. Most groups have one watcher, which is stored without a set: with thousands of watchers, one more object for
 * each costs time.
 */
type Buckets<T extends KubeObject> = Map<string, CacheWatcher<T> | Set<CacheWatcher<T>>>
