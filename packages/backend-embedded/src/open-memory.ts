import { systemClock } from '@keelson/apimachinery'
import type { Clock } from '@keelson/apimachinery'
import { defaultQueueLimits, OrderedTree, type QueueLimits } from '@keelson/storagebackend'
import { EmbeddedStore, openImage, type EmbeddedBackend, type EmbeddedStoreOptions, type StoreImage } from './embedded-store.ts'
import { defaultHistory, type HistoryLimits } from './history.ts'

export interface StoreOptions {
  /**
   * The limits of the history. Reads of past revisions and watches use the history. It is cut at the limit that is reached first. Default:
   * 5 minutes, 200,000 revisions, 256 MB.
   */
  readonly history?: Partial<HistoryLimits>
  /** The bounds of the buffer of one watch. If the reader is so slow that the buffer exceeds a bound, the watch ends. */
  readonly watchQueue?: Partial<QueueLimits>
  /** The interval between progress messages to idle watches, in milliseconds. Default: 5,000. */
  readonly progressInterval?: number
  readonly clock?: Clock
}

/** Opens a store in memory: an empty one, whose first revision is 1, as in etcd, or one with the contents of an image. */
export function openMemory({ image, ...options }: StoreOptions & { readonly image?: StoreImage } = {}): EmbeddedBackend {
  if (image !== undefined) return openImage(image, storeOptions(options))
  return new EmbeddedStore(storeOptions(options), { revision: 1, tree: new OrderedTree(), index: new Map(), bytes: 0, leases: [] })
}

export function storeOptions(options: StoreOptions): EmbeddedStoreOptions {
  return {
    clock: options.clock ?? systemClock,
    history: { ...defaultHistory, ...options.history },
    watchQueue: { ...defaultQueueLimits, ...options.watchQueue },
    progressInterval: options.progressInterval ?? 5000,
  }
}
