import { nextTurn, pause } from '@keelson/apimachinery'
import type { Clock, KubeObject } from '@keelson/apimachinery'
import { isStorageError } from '@keelson/storagebackend'
import type { ObjectEvents, ObjectList, Revision, Storage } from '@keelson/storagebackend'

export interface FeedSink<T extends KubeObject> {
  /**
   * The sink must be filled again; `reason` says why. `isWhole`: until then it has the state at `revision`, which was the store's and is old,
   * and not a part of one, or one that the store no longer knows of.
   */
  restarting(reason: string, isWhole: boolean): void
  replace(list: ObjectList<T>): Promise<void>
  apply(batch: ObjectEvents<T>): void
  /** The revision after which to go on. */
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

const firstDelay = 50
const longestDelay = 1000
/** Watches that fail this often in a row without a single event are not tried again: the state is read anew. */
const fruitlessWatches = 3

/**
 * Keeps a sink equal to the store: list, then watch from the list's revision. A watch that breaks goes on from the last revision
 * that the sink has, so nothing is lost or repeated; only when that is gone from the store's history is the list read again.
 * Runs until the signal aborts; never rejects.
 */
export async function runFeed<T extends KubeObject>(options: FeedOptions<T>): Promise<void> {
  const { storage, prefix, sink, clock, signal } = options
  let mustList = true
  let applying = false
  let isWhole = false
  let reported = ''
  /** Once: what keeps a store from being read may stay for hours, and is tried every second. */
  const report = (error: unknown): void => {
    const text = String(error)
    if (text !== reported) options.onError?.(error)
    reported = text
  }
  let fruitless = 0
  let delay = 0
  while (!signal.aborted) {
    try {
      if (mustList) {
        const list = await storage.list(prefix, { signal })
        // A store that was put back to an older copy.
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
          fruitless = 0
        })
      } finally {
        if (sink.revision === before) fruitless++
      }
    } catch (error) {
      if (signal.aborted) return
      report(error)
      // A sink that failed within a batch no longer knows what it has.
      if (applying || isExpired(error) || fruitless >= fruitlessWatches || mustList) {
        mustList = true
        if (applying) isWhole = false
        applying = false
        fruitless = 0
        sink.restarting(error instanceof Error ? error.message : String(error), isWhole)
      }
    }
    if (signal.aborted) return
    if (delay === 0) await nextTurn()
    else await pause(clock, delay, { signal })
    delay = Math.min(longestDelay, delay === 0 ? firstDelay : delay * 2)
  }
}

async function follow<T extends KubeObject>(
  { storage, prefix, sink, signal }: FeedOptions<T>,
  onBatch: (batch: ObjectEvents<T>) => void,
): Promise<void> {
  // A store's revision is never 0, which would ask for the state instead of what comes after it.
  const watch = await storage.watch(prefix, { resourceVersion: String(sink.revision), allowBookmarks: true, signal })
  for await (const batch of watch) {
    if (signal.aborted) return
    onBatch(batch)
  }
}

function isExpired(error: unknown): boolean {
  return isStorageError(error, 'ResourceVersionTooOld')
}
