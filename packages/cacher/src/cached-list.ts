import { TimeSlice } from '@keelson/apimachinery'
import type { KubeObject } from '@keelson/apimachinery'
import { encodeContinue, isEmptyPredicate, createMatcher, computePrefixEnd } from '@keelson/storagebackend'
import type { KeyRange, ObjectList, ObjectSnapshot, Predicate, Revision, StoredObject } from '@keelson/storagebackend'
import type { IndexedKeys } from './indexes.ts'
import type { ResourceCacheMetrics } from './watch-cache-metrics.ts'

export interface CachedListOptions {
  /** The revision of the list, for the result and for continue tokens. */
  readonly revision: Revision
  /** The prefix of the listed keys. */
  readonly prefix: string
  /** The first key to list. Set if the list continues an earlier page. */
  readonly startKey: string | undefined
  /** The page size, or 0 for no limit. */
  readonly limit: number
  readonly predicate: Predicate | undefined
  /** The keys that an index found. Absent: all keys of the prefix are tested. */
  readonly indexed?: IndexedKeys | undefined
  readonly signal?: AbortSignal | undefined
  readonly metrics?: ResourceCacheMetrics | undefined
}

/** The number of steps between two readings of the clock. A step takes less than a microsecond. */
const stepsPerLook = 64

/**
 * Lists objects of one state of the cache. Without a selector nothing is copied, and iterating over `items` reads from the state. With a
 * selector the objects are matched here in slices, because the caller's iteration cannot pause.
 */
export async function listFromState<T extends KubeObject>(state: ObjectSnapshot<T>, options: CachedListOptions): Promise<ObjectList<T>> {
  const { revision, prefix, startKey, limit } = options
  const predicate = isEmptyPredicate(options.predicate) ? undefined : options.predicate
  const range = { start: startKey ?? prefix, end: computePrefixEnd(prefix) }
  if (predicate === undefined && limit === 0) {
    if (options.metrics !== undefined) {
      const count = state.count(range)
      options.metrics.recordList('', count, count)
    }
    return { revision, continue: '', remainingItemCount: undefined, items: { [Symbol.iterator]: () => state.scan(range) } }
  }
  const { keys: indexed, exact = false } = options.indexed ?? {}
  const items: StoredObject<T>[] = []
  const slice = new TimeSlice(predicate === undefined ? stepsPerLook : 1)
  for (const object of indexed ? getEach(state, indexed, exact ? undefined : predicate) : walk(state, range, predicate)) {
    if (object !== undefined && items.push(object) === limit) break
    const pause = slice.pauseIfOver()
    if (!pause) continue
    options.signal?.throwIfAborted()
    await pause
  }
  const last = limit > 0 && items.length === limit ? items.at(-1)!.key : undefined
  const nextKey = `${last}\0`
  const count = indexed?.length ?? state.count(range)
  let remaining = 0
  if (last !== undefined) remaining = indexed ? count - 1 - indexed.indexOf(last) : state.count({ start: nextKey, end: range.end })
  options.metrics?.recordList(options.indexed?.name ?? '', count - remaining, items.length)
  return {
    revision,
    continue: remaining === 0 ? '' : encodeContinue(nextKey, prefix, revision),
    // Unknown with a selector, because the number of remaining keys includes objects that do not match.
    remainingItemCount: remaining === 0 || predicate !== undefined ? undefined : remaining,
    items,
  }
}

/** An iteration over objects. It returns undefined for an object that does not match. */
type Walk<T extends KubeObject> = Iterable<StoredObject<T> | undefined>

function walk<T extends KubeObject>(state: ObjectSnapshot<T>, range: KeyRange, predicate: Predicate | undefined): Walk<T> {
  return predicate === undefined ? state.scan(range) : state.select(range, predicate)
}

function* getEach<T extends KubeObject>(state: ObjectSnapshot<T>, keys: readonly string[], predicate: Predicate | undefined): Walk<T> {
  const matches = createMatcher(predicate)
  for (const key of keys) {
    const object = state.get(key)
    yield object === undefined || (matches !== undefined && !matches(object)) ? undefined : object
  }
}
