import { createHash } from 'node:crypto'
import { TimeSlice } from '@keelson/apimachinery'
import type { KubeObject } from '@keelson/apimachinery'
import { hasObjectSnapshots, createPrefixRange } from '@keelson/storagebackend'
import type { Revision, Storage, StoredObject } from '@keelson/storagebackend'

/** The result of comparing a cache with its store. */
export interface DigestComparison {
  /** Whether cache and store have the same keys, revisions and bytes in the same order. */
  readonly equal: boolean
  readonly revision: Revision
  /** The hash of the keys and revisions in the cache. */
  readonly cacheDigest: string
  readonly storeDigest: string
  /** The first key at which cache and store differ. Undefined if they are equal. */
  readonly firstDifference: string | undefined
}

const pageSize = 1000

/**
 * Compares the state of a cache with the store's state at the same revision, in slices. Objects that are decoded for this are not kept in
 * memory. Throws the store's error if the store has compacted the revision.
 */
export async function compareDigests<T extends KubeObject>(
  cached: { readonly revision: Revision; readonly objects: Iterable<StoredObject<T>> },
  store: Storage<T>,
  prefix: string,
): Promise<DigestComparison> {
  const { revision } = cached
  const inCache = createHash('sha256')
  const inStore = createHash('sha256')
  const cachedObjects = cached.objects[Symbol.iterator]()
  const slice = new TimeSlice()
  let firstDifference: string | undefined
  const compare = (a: StoredObject<T> | undefined, b: StoredObject<T> | undefined): void => {
    if (a !== undefined) inCache.update(`${a.key}\n${a.revision}\n`)
    if (b !== undefined) inStore.update(`${b.key}\n${b.revision}\n`)
    if (!isSameVersion(a, b)) firstDifference ??= (a ?? b)!.key
  }
  for await (const page of listPages(store, prefix, revision)) {
    for (const storedObject of page) {
      compare(readNextValue(cachedObjects), storedObject)
      const pause = slice.pauseIfOver()
      if (pause) await pause
    }
  }
  for (let cachedObject = readNextValue(cachedObjects); cachedObject !== undefined; cachedObject = readNextValue(cachedObjects))
    compare(cachedObject, undefined)
  const equal = firstDifference === undefined
  return { equal, revision, cacheDigest: inCache.digest('hex'), storeDigest: inStore.digest('hex'), firstDifference }
}

async function* listPages<T extends KubeObject>(
  store: Storage<T>,
  prefix: string,
  revision: Revision,
): AsyncGenerator<Iterable<StoredObject<T>>, undefined> {
  const state = hasObjectSnapshots(store) ? store.findSnapshot(revision) : undefined
  if (state !== undefined) {
    yield state.scan(createPrefixRange(prefix), { keep: false })
    return
  }
  let page = await store.list(prefix, { resourceVersion: String(revision), resourceVersionMatch: 'Exact', limit: pageSize })
  yield page.items
  while (page.continue !== '') {
    page = await store.list(prefix, { continue: page.continue, limit: pageSize })
    yield page.items
  }
}

function readNextValue<V>(iterator: Iterator<V>): V | undefined {
  const result = iterator.next()
  return result.done === true ? undefined : result.value
}

function isSameVersion(a: StoredObject | undefined, b: StoredObject | undefined): boolean {
  if (a === undefined || b === undefined || a.key !== b.key || a.revision !== b.revision) return false
  const [x, y] = [a.body, b.body]
  // Cache and store may share the same memory, so the bytes need no comparison.
  return (x.buffer === y.buffer && x.byteOffset === y.byteOffset && x.length === y.length) || Buffer.compare(x, y) === 0
}
