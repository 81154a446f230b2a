import { messageOf, nextTurn, pause } from '@keelson/apimachinery'
import type { Clock, KubeObject } from '@keelson/apimachinery'
import { isStorageError } from '@keelson/storagebackend'
import type { ObjectEvents, ObjectList, Revision, Storage } from '@keelson/storagebackend'

export interface FeedSink<T extends KubeObject> {
  /**
   * The sink must be filled again. `isWhole`: it still has a complete state of the store, an old one. False if it has part of a state, or a state that
   * the store no longer knows.
   */
  restarting(reason: string, isWhole: boolean): void
  replace(list: ObjectList<T>): Promise<void>
  apply(batch: ObjectEvents<T>): void
  /** The feed continues after this revision. */
  readonly revision: Revision
}

export interface FeedOptions<T extends KubeObject> {
  readonly storage: Storage<T>
  readonly prefix: string
  readonly sink: FeedSink<T>
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly onError?: ((error: unknown) => void) | undefined
}

const minDelay = 50
const maxDelay = 1000
/** After so many watches in a row that failed without an event the feed lists again. */
const maxFailedWatches = 3

/**
 * Keeps a sink equal to the store: lists, then watches from the list's revision. A broken watch is opened again at the sink's last revision, so no
 * change is lost or repeated. The feed lists again only when the store's history no longer has that revision. Runs until the signal aborts;
 * never rejects.
 */
export async function runFeed<T extends KubeObject>(options: FeedOptions<T>): Promise<void> {
  const { storage, prefix, sink, clock, signal } = options
  let mustList = true
  let applying = false
  let isWhole = false
  let reported = ''
  /** Reports the same error once: it may last for hours, with a retry every second. */
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
        // The store was restored from an older copy.
        if (list.revision < sink.revision) isWhole = false
        await sink.replace(list)
        isWhole = true
        reported = ''
      }
      mustList = false
      const before = sink.revision
      try {
        await follow(options, (batch) => {
          applying = true
          sink.apply(batch)
          applying = false
          delay = 0
          failedWatches = 0
        })
      } finally {
        if (sink.revision === before) failedWatches++
      }
    } catch (error) {
      if (signal.aborted) return
      report(error)
      // A sink that failed within a batch has an unknown part of it.
      if (applying || isExpired(error) || failedWatches >= maxFailedWatches || mustList) {
        mustList = true
        if (applying) isWhole = false
        applying = false
        failedWatches = 0
        sink.restarting(messageOf(error), isWhole)
      }
    }
    if (signal.aborted) return
    if (delay === 0) await nextTurn()
    else await pause(clock, delay, { signal })
    delay = Math.min(maxDelay, delay === 0 ? minDelay : delay * 2)
  }
}

async function follow<T extends KubeObject>(
  { storage, prefix, sink, signal }: FeedOptions<T>,
  onBatch: (batch: ObjectEvents<T>) => void,
): Promise<void> {
  // A store's revision is never 0, which would start the watch with a state.
  const watch = await storage.watch(prefix, { resourceVersion: String(sink.revision), allowBookmarks: true, signal })
  for await (const batch of watch) {
    if (signal.aborted) return
    onBatch(batch)
  }
}

function isExpired(error: unknown): boolean {
  return isStorageError(error, 'ResourceVersionTooOld')
}
