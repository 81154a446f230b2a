import { getErrorMessage, waitForNextTurn, pause } from '@keelson/apimachinery'
import type { Clock, KubeObject } from '@keelson/apimachinery'
import { isStorageError } from '@keelson/storagebackend'
import type { ObjectEvents, ObjectList, Storage } from '@keelson/storagebackend'
import type { WatchCache } from './watch-cache.ts'

export interface FeedOptions<T extends KubeObject> {
  readonly storage: Storage<T>
  readonly prefix: string
  readonly cache: Pick<WatchCache<T>, 'revision' | 'apply'>
  /** Replaces the contents of the cache with a list of the store. */
  readonly replace: (list: ObjectList<T>) => Promise<void>
  /**
   * Called before the cache is filled again. `isWhole` is true if the cache still has a complete older state of the store. It is false if
   * the state is incomplete, or if the store no longer knows the state because it was restored from a backup.
   */
  readonly onRestart: (reason: string, isWhole: boolean) => void
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly onError?: ((error: unknown) => void) | undefined
}

const minDelay = 50
const maxDelay = 1000
/**
 * The maximum delay after a failed conversion. Each attempt may call a conversion webhook for all objects, and a webhook can be broken for
 * hours.
 */
const maxConversionDelay = 5000
/** The number of consecutive watches without an event after which the feed lists again. */
const maxFailedWatches = 3

/**
 * Fills a cache with a list of the store, and then applies the changes of a watch from the list's revision. If the watch fails, it opens a
 * new one at the cache's last revision, so that no change is lost or repeated. It lists again only if the store has compacted that
 * revision. It runs until the signal aborts, and never rejects.
 */
export async function runFeed<T extends KubeObject>(options: FeedOptions<T>): Promise<void> {
  const { storage, prefix, cache, clock, signal } = options
  let mustList = true
  let applying = false
  let isWhole = false
  let reported = ''
  /**
   * Report an error only if it differs from the last one. With a retry every second, the same error could otherwise be reported for hours.
   */
  const report = (error: unknown): void => {
    const text = String(error)
    if (text !== reported) options.onError?.(error)
    reported = text
  }
  let failedWatches = 0
  let delay = 0
  let longestDelay = maxDelay
  while (!signal.aborted) {
    try {
      if (mustList) {
        const list = await storage.list(prefix, { signal })
        // The store was restored from a backup, so its revisions are lower than before.
        if (list.revision < cache.revision) isWhole = false
        await options.replace(list)
        isWhole = true
        reported = ''
      }
      mustList = false
      const oldRevision = cache.revision
      try {
        await follow(options, (batch) => {
          applying = true
          cache.apply(batch)
          applying = false
          delay = 0
          failedWatches = 0
        })
      } finally {
        if (cache.revision === oldRevision) failedWatches++
      }
    } catch (error) {
      if (signal.aborted) return
      report(error)
      longestDelay = isStorageError(error, 'ConversionFailed') ? maxConversionDelay : maxDelay
      // If the cache failed within a batch, an unknown part of the batch has been applied, so the cache must be filled again.
      if (applying || isExpired(error) || failedWatches >= maxFailedWatches || mustList) {
        mustList = true
        if (applying) isWhole = false
        applying = false
        failedWatches = 0
        options.onRestart(getErrorMessage(error), isWhole)
      }
    }
    if (signal.aborted) return
    if (delay === 0) await waitForNextTurn()
    else await pause(clock, delay, { signal })
    delay = Math.min(longestDelay, delay === 0 ? minDelay : delay * 2)
  }
}

async function follow<T extends KubeObject>(
  { storage, prefix, cache, signal }: FeedOptions<T>,
  onBatch: (batch: ObjectEvents<T>) => void,
): Promise<void> {
  // The revision is never "0". With "0" the watch would start with existing objects.
  const watch = await storage.watch(prefix, { resourceVersion: String(cache.revision), allowBookmarks: true, signal })
  for await (const batch of watch) {
    if (signal.aborted) return
    onBatch(batch)
  }
}

function isExpired(error: unknown): boolean {
  return isStorageError(error, 'ResourceVersionTooOld')
}
