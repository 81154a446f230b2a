import { messageOf, nextTurn, pause } from '@keelson/apimachinery'
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
   * Called before the cache is filled again. `isWhole` is true if the cache still has a complete, older state of the store. It is false if the cache
   * has part of a state, or a state that the store no longer knows.
   */
  readonly onRestart: (reason: string, isWhole: boolean) => void
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly onError?: ((error: unknown) => void) | undefined
}

const minDelay = 50
const maxDelay = 1000
/** The number of consecutive watches without an event after which the feed lists again. */
const maxFailedWatches = 3

/**
 * Keeps a cache equal to the store: lists, then watches from the list's revision. After a failure it opens the watch again at the cache's last
 * revision, so that no change is lost or repeated. It lists again only if the store's history no longer has that revision. It runs until the signal
 * aborts, and never rejects.
 */
export async function runFeed<T extends KubeObject>(options: FeedOptions<T>): Promise<void> {
  const { storage, prefix, cache, clock, signal } = options
  let mustList = true
  let applying = false
  let isWhole = false
  let reported = ''
  /** Reports repeated errors once, because one may last for hours with a retry every second. */
  const report = (error: unknown): void => {
    const text = String(error)
    if (text !== reported) options.onError?.(error)
    reported = text
  }
  let failedWatches = 0
  let delay = 0
  while (!signal.aborted) {
    try {
      if (mustList) {
        const list = await storage.list(prefix, { signal })
        // The store was restored from an older backup.
        if (list.revision < cache.revision) isWhole = false
        await options.replace(list)
        isWhole = true
        reported = ''
      }
      mustList = false
      const before = cache.revision
      try {
        await follow(options, (batch) => {
          applying = true
          cache.apply(batch)
          applying = false
          delay = 0
          failedWatches = 0
        })
      } finally {
        if (cache.revision === before) failedWatches++
      }
    } catch (error) {
      if (signal.aborted) return
      report(error)
      // A cache that failed within a batch has applied an unknown part of it.
      if (applying || isExpired(error) || failedWatches >= maxFailedWatches || mustList) {
        mustList = true
        if (applying) isWhole = false
        applying = false
        failedWatches = 0
        options.onRestart(messageOf(error), isWhole)
      }
    }
    if (signal.aborted) return
    if (delay === 0) await nextTurn()
    else await pause(clock, delay, { signal })
    delay = Math.min(maxDelay, delay === 0 ? minDelay : delay * 2)
  }
}

async function follow<T extends KubeObject>(
  { storage, prefix, cache, signal }: FeedOptions<T>,
  onBatch: (batch: ObjectEvents<T>) => void,
): Promise<void> {
  // The revision is never 0, which would start the watch with a state.
  const watch = await storage.watch(prefix, { resourceVersion: String(cache.revision), allowBookmarks: true, signal })
  for await (const batch of watch) {
    if (signal.aborted) return
    onBatch(batch)
  }
}

function isExpired(error: unknown): boolean {
  return isStorageError(error, 'ResourceVersionTooOld')
}
