import type { KubeObject } from '@keelson/apimachinery'
import { encodeContinue, matcher, prefixEnd } from '@keelson/storagebackend'
import type { ObjectList, ObjectSnapshot, Predicate, Revision, StoredObject } from '@keelson/storagebackend'
import type { ResourceCacheMetrics } from './watch-cache-metrics.ts'
import { walkInSlices } from './walk-in-slices.ts'

export interface CachedListOptions {
  /** What `ObjectList.revision` and continue tokens say. */
  readonly revision: Revision
  /** The listed prefix. */
  readonly prefix: string
  /** Where a continued list goes on. */
  readonly startKey: string | undefined
  /** 0 is none. */
  readonly limit: number
  readonly predicate: Predicate | undefined
  readonly signal?: AbortSignal | undefined
  readonly metrics?: ResourceCacheMetrics | undefined
}

/**
 * A list from one state of the cache. Without a selector nothing is copied: `items` walks the state. With one, the objects are
 * looked at here, in slices that let others run, since a walk by the reader could not pause.
 */
export async function listFromState<T extends KubeObject>(state: ObjectSnapshot<T>, options: CachedListOptions): Promise<ObjectList<T>> {
  const { revision, prefix, limit } = options
  const matches = matcher(options.predicate)
  const range = { start: options.startKey ?? prefix, end: prefixEnd(prefix) }
  if (matches === undefined && limit === 0) {
    if (options.metrics !== undefined) {
      const count = state.count(range)
      options.metrics.listed('', count, count)
    }
    return { revision, continue: '', remainingItemCount: undefined, items: { [Symbol.iterator]: () => state.scan(range) } }
  }
  const total = state.count(range)
  const items: StoredObject<T>[] = []
  let looked = 0
  const visit = (object: StoredObject<T>): boolean => {
    looked++
    if (matches === undefined || matches(object)) items.push(object)
    return limit === 0 || items.length < limit
  }
  await walkInSlices(state.scan(range), visit, () => options.signal?.throwIfAborted())
  options.metrics?.listed('', looked, items.length)
  const more = looked < total
  return {
    revision,
    continue: more ? encodeContinue(`${items.at(-1)!.key}\0`, prefix, revision) : '',
    // Objects that a selector would not let through are not told apart here, so only a list of everything knows.
    remainingItemCount: more && matches === undefined ? total - limit : undefined,
    items,
  }
}
