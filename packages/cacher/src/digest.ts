import { createHash } from 'node:crypto'
import type { KubeObject } from '@keelson/apimachinery'
import type { Revision, Storage, StoredObject } from '@keelson/storagebackend'
import { yieldToOthers } from './clock.ts'

export interface DigestComparison {
  readonly equal: boolean
  readonly revision: Revision
  readonly cacheDigest: string
  readonly storeDigest: string
  /** The first key at which the two differ. */
  readonly firstDifference: string | undefined
}

const sliceSize = 1000

/**
 * Compares the cache's state with the store's at the same revision: every key, its revision and its bytes, in order.
 * Throws what the store throws when that revision is gone from its history.
 */
export async function compareDigests<T extends KubeObject>(
  cached: { readonly revision: Revision; readonly objects: Iterable<StoredObject<T>> },
  store: Storage<T>,
  prefix: string,
): Promise<DigestComparison> {
  const inCache = await digest(cached.objects)
  // An empty history has no revision to ask for by number.
  const exact = cached.revision > 0 ? ({ resourceVersion: String(cached.revision), resourceVersionMatch: 'Exact' } as const) : {}
  const inStore = await digest((await store.list(prefix, exact)).items)
  const at = inCache.entries.findIndex((entry, i) => entry !== inStore.entries[i])
  const index = at >= 0 ? at : inCache.entries.length < inStore.entries.length ? inCache.entries.length : -1
  const differing = index < 0 ? undefined : (inCache.entries[index] ?? inStore.entries[index])
  return {
    equal: inCache.digest === inStore.digest,
    revision: cached.revision,
    cacheDigest: inCache.digest,
    storeDigest: inStore.digest,
    firstDifference: differing?.slice(0, differing.indexOf('\n')),
  }
}

async function digest(objects: Iterable<StoredObject>): Promise<{ digest: string; entries: string[] }> {
  const whole = createHash('sha256')
  const entries: string[] = []
  for (const object of objects) {
    const entry = `${object.key}\n${object.revision}\n${createHash('sha256').update(object.body).digest('base64')}`
    whole.update(`${entry}\n`)
    entries.push(entry)
    if (entries.length % sliceSize === 0) await yieldToOthers()
  }
  return { digest: whole.digest('hex'), entries }
}
