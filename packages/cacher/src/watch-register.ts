import type { Clock, KubeObject } from '@keelson/apimachinery'
import { parseResourceVersion, startsWithState, newTooLargeError, newTooOldError } from '@keelson/storagebackend'
import type { Revision, StoredObject, WatchObjectsOptions } from '@keelson/storagebackend'
import { BookmarkSchedule, defaultBookmarkTimes } from './bookmarks.ts'
import type { BookmarkTimes } from './bookmarks.ts'
import type { Dispatcher } from './dispatcher.ts'
import type { Selection } from './cache-event.ts'
import type { WatchCache } from './watch-cache.ts'
import type { ResourceCacheMetrics } from './watch-cache-metrics.ts'
import { CacheWatcher, defaultWatcherLimits } from './cache-watcher.ts'
import type { WatcherLimits } from './cache-watcher.ts'

export interface WatchRegisterOptions {
  readonly watcherLimits?: Partial<WatcherLimits> | undefined
  /** The time, in milliseconds, after which a slow watcher ends if its reader does not read. Default: 30,000. */
  readonly stalledAfter?: number | undefined
  readonly bookmarkTimes?: BookmarkTimes | undefined
  readonly metrics?: ResourceCacheMetrics | undefined
}

/** The readiness of the cache, for opening watches. */
export interface CacheStatus {
  /** Returns true if the cache can answer now. */
  isReady(): boolean
  storeRevision(): Promise<Revision>
  /** Resolves to true when the cache has received the revision, or to false after a timeout. */
  waitFor(revision: Revision): Promise<boolean>
}

interface WatchStart<T extends KubeObject> {
  readonly after: Revision
  readonly position: number
  readonly initial?: Iterator<StoredObject<T> | undefined>
  readonly initialEventsEnd?: Revision | undefined
}

const tickMilliseconds = 1000

/** The register of all open watches. It decides where each watch starts, sends bookmarks, and ends watchers whose readers have stalled. */
export class WatchRegister<T extends KubeObject = KubeObject> {
  readonly #clock: Clock
  readonly #cache: WatchCache<T>
  readonly #dispatcher: Dispatcher<T>
  readonly #limits: WatcherLimits
  readonly #stalledAfter: number
  readonly #metrics: ResourceCacheMetrics | undefined
  readonly #bookmarks: BookmarkSchedule<CacheWatcher<T>>
  readonly #open = new Set<CacheWatcher<T>>()
  readonly #behind = new Set<CacheWatcher<T>>()
  #ticking = false

  constructor(
    options: WatchRegisterOptions & { readonly clock: Clock; readonly cache: WatchCache<T>; readonly dispatcher: Dispatcher<T> },
  ) {
    this.#clock = options.clock
    this.#cache = options.cache
    this.#dispatcher = options.dispatcher
    this.#limits = { ...defaultWatcherLimits, ...options.watcherLimits }
    this.#stalledAfter = options.stalledAfter ?? 30_000
    this.#metrics = options.metrics
    this.#bookmarks = new BookmarkSchedule(options.clock.now(), options.bookmarkTimes ?? defaultBookmarkTimes)
  }

  get size(): number {
    return this.#open.size
  }

  /** Opens a watch. Returns undefined if the cache must be filled again first. */
  async open(selection: Selection<T>, options: WatchObjectsOptions, status: CacheStatus): Promise<CacheWatcher<T> | undefined> {
    const start = await prepareStart<T>(selection, options, status)
    // There must be no `await` between here and the end of `#add`, because an event in between would be lost.
    return status.isReady() ? this.#add(selection, options, start(this.#cache)) : undefined
  }

  /** Ends all watches as too old, because the cache has missed changes. */
  expireAll(): void {
    for (const watcher of this.#open) watcher.end(newTooOldError(watcher.selection.key, 'the watch cache had to be filled again'))
  }

  endAll(error: unknown): void {
    for (const watcher of this.#open) watcher.end(error)
  }

  #add(selection: Selection<T>, options: WatchObjectsOptions, begin: WatchStart<T>): CacheWatcher<T> {
    const abort = (): void => watcher.end(undefined)
    const watcher: CacheWatcher<T> = new CacheWatcher<T>({
      ...begin,
      selection,
      trigger: this.#dispatcher.findTrigger(selection),
      ring: this.#cache.ring,
      clock: this.#clock,
      limits: this.#limits,
      allowBookmarks: options.allowBookmarks ?? false,
      deadline: options.deadline,
      onInitialized: options.onInitialized,
      metrics: this.#metrics,
      onBehind: () => this.#behind.add(watcher),
      onEnd: () => {
        options.signal.removeEventListener('abort', abort)
        this.#remove(watcher)
      },
    })
    this.#open.add(watcher)
    this.#behind.add(watcher)
    this.#dispatcher.add(watcher)
    if (watcher.allowBookmarks) this.#bookmarks.plan(watcher, this.#clock.now())
    if (!this.#ticking) this.#scheduleTick()
    if (options.signal.aborted) watcher.end(undefined)
    else options.signal.addEventListener('abort', abort)
    return watcher
  }

  #remove(watcher: CacheWatcher<T>): void {
    this.#open.delete(watcher)
    this.#behind.delete(watcher)
    this.#dispatcher.delete(watcher)
    this.#bookmarks.delete(watcher)
  }

  /** Starts the timer for the next tick. Does nothing if no watch is open. */
  #scheduleTick(): void {
    this.#ticking = this.#open.size > 0
    if (this.#ticking) this.#clock.after(tickMilliseconds, () => this.#tick())
  }

  #tick(): void {
    this.#scheduleTick()
    const now = this.#clock.now()
    for (const watcher of this.#behind) {
      if (watcher.isLive) this.#behind.delete(watcher)
      else if (watcher.isStalled(now, this.#stalledAfter)) watcher.terminate()
    }
    for (const watcher of this.#bookmarks.takeDue(now)) {
      if (watcher.sendBookmark(this.#cache.revision)) this.#bookmarks.plan(watcher, now)
      else this.#bookmarks.planAt(watcher, now + tickMilliseconds)
    }
  }
}

/**
 * Decides where a watch starts, by the rules of `startsWithState`. It waits for the revision that the watch needs, and returns a function
 * that reads the cache without waiting. A watch without a `resourceVersion` waits until the cache has the store's current revision.
 */
async function prepareStart<T extends KubeObject>(
  selection: Selection<T>,
  options: WatchObjectsOptions,
  status: CacheStatus,
): Promise<(cache: WatchCache<T>) => WatchStart<T>> {
  const text = options.resourceVersion ?? ''
  const requested = parseResourceVersion(text)!
  const revision = text === '' ? await status.storeRevision() : requested
  const mustWait = options.sendInitialEvents === true || text === ''
  const isFresh = mustWait ? await status.waitFor(revision) : true
  if (!startsWithState(options, requested))
    return (cache) => startAtRevision(cache, selection.key, revision === 0 ? cache.revision : revision)
  return (cache) => {
    if (options.sendInitialEvents !== true) return startAtState(cache, selection, false)
    if (!isFresh && !options.signal.aborted) throw newTooLargeError(selection.key, revision, cache.revision)
    return startAtState(cache, selection, options.allowBookmarks === true)
  }
}

function startAtState<T extends KubeObject>(cache: WatchCache<T>, selection: Selection<T>, bookmark: boolean): WatchStart<T> {
  const { revision, ring, state } = cache
  const initial = selection.selectFrom(state)
  return { after: revision, position: ring.end, initial, initialEventsEnd: bookmark ? revision : undefined }
}

function startAtRevision<T extends KubeObject>(cache: WatchCache<T>, key: string, after: Revision): WatchStart<T> {
  const position = cache.ring.positionAfter(after)
  if (position === undefined) throw newTooOldError(key, `too old resource version: ${after} (${cache.ring.base})`)
  return { after, position }
}
