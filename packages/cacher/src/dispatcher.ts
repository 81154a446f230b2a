import type { KubeObject } from '@keelson/apimachinery'
import type { StoredObject } from '@keelson/storagebackend'
import type { CacheEvent } from './cache-event.ts'
import type { Selection } from './selection.ts'
import type { Watcher } from './watcher.ts'

export interface DispatcherOptions {
  /** Every key of the resource starts with it. */
  readonly prefix: string
  /** A field that many watchers select one value of, such as "spec.nodeName". */
  readonly triggerField?: string | undefined
}

/**
 * Finds the watchers that may care about an event without looking at the others. Each watcher stands in one bucket, named by the
 * most selective thing it requires:
 *
 *   field  spec.nodeName=n1            every watch of that field's value, whatever its prefix
 *   name   /registry/pods/ns/ + a      one name under a prefix
 *   under  /registry/pods/ns/          everything under a prefix
 *   key    /registry/pods/ns/a         one key (a watch that is not recursive)
 *
 * An event at /registry/pods/ns/a looks into the buckets of its field values (now and before), and for each prefix of its key
 * into "under" and "name": a handful of lookups, however many watchers there are.
 */
export class Dispatcher<T extends KubeObject = KubeObject> {
  readonly #prefix: string
  readonly #triggerField: string | undefined
  readonly #buckets = new Map<string, Set<Watcher<T>>>()
  #touched = new Set<Watcher<T>>()

  constructor(options: DispatcherOptions) {
    this.#prefix = options.prefix
    this.#triggerField = options.triggerField
  }

  add(watcher: Watcher<T>): void {
    const name = this.#bucketOf(watcher.selection)
    const bucket = this.#buckets.get(name)
    if (bucket === undefined) this.#buckets.set(name, new Set([watcher]))
    else bucket.add(watcher)
  }

  delete(watcher: Watcher<T>): void {
    const name = this.#bucketOf(watcher.selection)
    const bucket = this.#buckets.get(name)
    if (bucket?.delete(watcher) === true && bucket.size === 0) this.#buckets.delete(name)
  }

  /** The watchers that may want to know of an event. Each at most once. */
  candidates(event: CacheEvent<T>): Watcher<T>[] {
    const found: Watcher<T>[] = []
    for (const name of this.#bucketsFor(event)) {
      const bucket = this.#buckets.get(name)
      if (bucket !== undefined) found.push(...bucket)
    }
    return found
  }

  /** Hands out the events of one revision, which stand in the ring from `position` on. Readers wake at `flush`. */
  dispatch(events: readonly CacheEvent<T>[], position: number): void {
    if (this.#buckets.size === 0) return
    const watchers = events.length === 1 ? this.candidates(events[0]!) : new Set(events.flatMap((event) => this.candidates(event)))
    for (const watcher of watchers) if (watcher.push(events, position)) this.#touched.add(watcher)
  }

  /** Wakes the readers of what was handed out: once per batch from the store, not once per event. */
  flush(): void {
    if (this.#touched.size === 0) return
    const touched = this.#touched
    this.#touched = new Set()
    for (const watcher of touched) watcher.wake()
  }

  #bucketOf(selection: Selection<T>): string {
    if (!selection.recursive) return `key ${selection.key}`
    const trigger = this.#triggerField === undefined ? undefined : selection.requires(this.#triggerField)
    if (trigger !== undefined) return `field ${trigger}`
    const namespace = selection.key === this.#prefix ? selection.requires('metadata.namespace') : undefined
    // An object without a namespace has that field empty: the prefix alone then says where to look.
    const under = namespace === undefined || namespace === '' ? selection.key : `${selection.key}${namespace}/`
    const name = selection.requires('metadata.name')
    return name === undefined ? `under ${under}` : `name ${under} ${name}`
  }

  #bucketsFor(event: CacheEvent<T>): Set<string> {
    const names = new Set<string>([`key ${event.key}`])
    if (this.#triggerField !== undefined) {
      for (const object of [event.object, event.previous]) {
        if (object !== undefined) names.add(`field ${object.field(this.#triggerField)}`)
      }
    }
    const name = nameOf(event.object ?? event.previous!)
    for (let end = this.#prefix.length; end > 0; end = event.key.indexOf('/', end) + 1) {
      const under = event.key.slice(0, end)
      names.add(`under ${under}`)
      names.add(`name ${under} ${name}`)
    }
    return names
  }
}

/** The last step of the key: what `metadata.name` says, for every built-in key. */
function nameOf(object: StoredObject): string {
  return object.key.slice(object.key.lastIndexOf('/') + 1)
}
