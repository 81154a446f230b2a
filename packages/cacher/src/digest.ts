import { createHash } from 'node:crypto'
import type { KubeObject } from '@keelson/apimachinery'
import { TimeSlices } from '@keelson/storagebackend'
import type { Revision, Storage, StoredObject } from '@keelson/storagebackend'

export interface DigestComparison {
  /** Same keys, same revisions, same bytes, in the same order. */
  readonly equal: boolean
  readonly revision: Revision
  /** Of keys and revisions. */
  readonly cacheDigest: string
  readonly storeDigest: string
  /** The first key at which the two differ. */
  readonly firstDifference: string | undefined
}

/**
 * Compares the cache's state with the store's at the same revision, in slices that let others run.
 * Throws what the store throws when that revision is gone from its history.
 */
export async function compareDigests<T extends KubeObject>(
  cached: { readonly revision: Revision; readonly objects: Iterable<StoredObject<T>> },
  store: Storage<T>,
  prefix: string,
): Promise<DigestComparison> {
  const { revision } = cached
  const list = await store.list(prefix, { resourceVersion: String(revision), resourceVersionMatch: 'Exact' })
  const inCache = createHash('sha256')
  const inStore = createHash('sha256')
  const ours = cached.objects[Symbol.iterator]()
  const theirs = list.items[Symbol.iterator]()
  let firstDifference: string | undefined
  const slices = new TimeSlices()
  for (;;) {
    const a = next(ours)
    const b = next(theirs)
    if (a === undefined && b === undefined) break
    if (a !== undefined) inCache.update(`${a.key}\n${a.revision}\n`)
    if (b !== undefined) inStore.update(`${b.key}\n${b.revision}\n`)
    if (!same(a, b)) firstDifference ??= (a ?? b)!.key
    const pause = slices.due()
    if (pause) await pause
  }
  const equal = firstDifference === undefined
  return { equal, revision, cacheDigest: inCache.digest('hex'), storeDigest: inStore.digest('hex'), firstDifference }
}

function next<V>(iterator: Iterator<V>): V | undefined {
  const result = iterator.next()
  return result.done === true ? undefined : result.value
}

/** Where cache and store share their objects, looking at the bytes is not needed. */
function same(a: StoredObject | undefined, b: StoredObject | undefined): boolean {
  if (a === b) return true
  if (a === undefined || b === undefined) return false
  return a.key === b.key && a.revision === b.revision && Buffer.compare(a.body, b.body) === 0
}
