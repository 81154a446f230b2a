import { isApiError, pause } from '@keelson/apimachinery'
import type { Clock, KubeObject } from '@keelson/apimachinery'
import { isStorageError } from '@keelson/storagebackend'
import type { ObjectEvents, ObjectList, Revision, Storage } from '@keelson/storagebackend'
import { yieldToOthers } from './yield-to-others.ts'

export interface FeedSink<T extends KubeObject> {
  /** The cache is about to be filled anew; `reason` says why. */
  restarting(reason: string): void
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
  const { sink, clock, signal } = options
  let mustList = true
  let applying = false
  let fruitless = 0
  let delay = 0
  while (!signal.aborted) {
    try {
      if (mustList) await fill(options)
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
      options.onError?.(error)
      // A sink that failed within a batch no longer knows what it has.
      if (applying || isExpired(error) || fruitless >= fruitlessWatches || mustList) {
        mustList = true
        applying = false
        fruitless = 0
        sink.restarting(error instanceof Error ? error.message : String(error))
      }
    }
    if (signal.aborted) return
    if (delay === 0) await yieldToOthers()
    else await pause(clock, delay, { signal })
    delay = Math.min(longestDelay, delay === 0 ? firstDelay : delay * 2)
  }
}

async function fill<T extends KubeObject>({ storage, prefix, sink, signal }: FeedOptions<T>): Promise<void> {
  await sink.replace(await storage.list(prefix, { signal }))
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
  return isApiError(error, 'Expired') || isStorageError(error, 'ResourceVersionTooOld')
}
