import type { Clock, KubeObject } from '@keelson/apimachinery'
import { parseResourceVersion, startsWithState, tooLarge, tooOld } from '@keelson/storagebackend'
import type { Revision, StoredObject, WatchObjectsOptions } from '@keelson/storagebackend'
import { BookmarkSchedule, defaultBookmarkTimes } from './bookmarks.ts'
import type { BookmarkTimes } from './bookmarks.ts'
import type { Dispatcher } from './dispatcher.ts'
import type { Selection } from './selection.ts'
import type { WatchCache } from './watch-cache.ts'
import type { ResourceCacheMetrics } from './watch-cache-metrics.ts'
import { defaultWatcherLimits, Watcher } from './watcher.ts'
import type { WatcherLimits } from './watcher.ts'

export interface WatchRegisterOptions {
  readonly watcherLimits?: Partial<WatcherLimits> | undefined
  /** ms that a watcher which is behind may leave its events unread. */
  readonly patience?: number | undefined
  readonly bookmarkTimes?: BookmarkTimes | undefined
  readonly metrics?: ResourceCacheMetrics | undefined
}

/** What opening a watch asks. */
export interface WatchQuestions {
  /** Whether the cache can answer now. */
  ready(): boolean
  storeRevision(): Promise<Revision>
  /** Waits a while for the cache to get there; says whether it did. */
  reach(revision: Revision): Promise<boolean>
}

/** Where a watch begins. */
interface Beginning<T extends KubeObject> {
  readonly after: Revision
  readonly position: number
  readonly initial?: Iterator<StoredObject<T> | undefined>
  readonly initialEventsEnd?: Revision | undefined
}

const tick = 1000

/** The open watches: decides where each begins, and looks after bookmarks and those that do not read. */
export class WatchRegister<T extends KubeObject = KubeObject> {
  readonly #clock: Clock
  readonly #cache: WatchCache<T>
  readonly #dispatcher: Dispatcher<T>
  readonly #limits: WatcherLimits
  readonly #patience: number
  readonly #metrics: ResourceCacheMetrics | undefined
  readonly #bookmarks: BookmarkSchedule<Watcher<T>>
  readonly #open = new Set<Watcher<T>>()
  readonly #behind = new Set<Watcher<T>>()
  #ticking = false

  constructor(
    options: WatchRegisterOptions & { readonly clock: Clock; readonly cache: WatchCache<T>; readonly dispatcher: Dispatcher<T> },
  ) {
    this.#clock = options.clock
    this.#cache = options.cache
    this.#dispatcher = options.dispatcher
    this.#limits = { ...defaultWatcherLimits, ...options.watcherLimits }
    this.#patience = options.patience ?? 30_000
    this.#metrics = options.metrics
    this.#bookmarks = new BookmarkSchedule(options.clock.now(), options.bookmarkTimes ?? defaultBookmarkTimes)
  }

  get size(): number {
    return this.#open.size
  }

  /** Undefined: the cache is about to be filled anew, which is no time to begin. */
  async open(selection: Selection<T>, options: WatchObjectsOptions, questions: WatchQuestions): Promise<Watcher<T> | undefined> {
    const begin = await beginning<T>(selection, options, questions)
    // From here to the end of `#add` there is no await: no event can come in between.
    return questions.ready() ? this.#add(selection, options, begin(this.#cache)) : undefined
  }

  /** All watches end with 410: what lies between their last event and now is not known. */
  expireAll(): void {
    for (const watcher of this.#open) watcher.end(tooOld(watcher.selection.key, 'the watch cache had to be filled anew'))
  }

  endAll(error: unknown): void {
    for (const watcher of this.#open) watcher.end(error)
  }

  #add(selection: Selection<T>, options: WatchObjectsOptions, begin: Beginning<T>): Watcher<T> {
    const abort = (): void => watcher.end(undefined)
    const watcher: Watcher<T> = new Watcher<T>({
      ...begin,
      selection,
      trigger: this.#dispatcher.triggerOf(selection),
      ring: this.#cache.ring,
      clock: this.#clock,
      limits: this.#limits,
      allowBookmarks: options.allowBookmarks ?? false,
      deadline: options.deadline,
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

  #remove(watcher: Watcher<T>): void {
    this.#open.delete(watcher)
    this.#behind.delete(watcher)
    this.#dispatcher.delete(watcher)
    this.#bookmarks.delete(watcher)
  }

  /** Stops by itself when nobody is left to look after. */
  #scheduleTick(): void {
    this.#ticking = this.#open.size > 0
    if (this.#ticking) this.#clock.after(tick, () => this.#tick())
  }

  #tick(): void {
    this.#scheduleTick()
    const now = this.#clock.now()
    for (const watcher of this.#behind) {
      if (watcher.live) this.#behind.delete(watcher)
      else if (watcher.isStalled(now, this.#patience)) watcher.giveUp()
    }
    for (const watcher of this.#bookmarks.takeDue(now)) {
      if (watcher.bookmark(this.#cache.revision)) this.#bookmarks.plan(watcher, now)
      else this.#bookmarks.planAt(watcher, now + tick)
    }
  }
}

/**
 * Decides where a watch begins (`startsWithState`). All waiting is done here; the function that it returns then looks at the cache. A watch of
 * the latest state or of changes from now on, without a `resourceVersion`, first waits until the cache has the store's revision.
 */
async function beginning<T extends KubeObject>(
  selection: Selection<T>,
  options: WatchObjectsOptions,
  questions: WatchQuestions,
): Promise<(cache: WatchCache<T>) => Beginning<T>> {
  const text = options.resourceVersion ?? ''
  const asked = parseResourceVersion(text)!
  const revision = text === '' ? await questions.storeRevision() : asked
  const waits = options.sendInitialEvents === true || text === ''
  const isFresh = waits ? await questions.reach(revision) : true
  if (!startsWithState(options, asked)) return (cache) => fromRevision(cache, selection.key, revision === 0 ? cache.revision : revision)
  return (cache) => {
    if (options.sendInitialEvents !== true) return fromState(cache, selection, false)
    if (!isFresh && !options.signal.aborted) throw tooLarge(selection.key, revision, cache.revision)
    return fromState(cache, selection, options.allowBookmarks === true)
  }
}

function fromState<T extends KubeObject>(cache: WatchCache<T>, selection: Selection<T>, bookmark: boolean): Beginning<T> {
  const { revision, ring, state } = cache
  const initial = selection.selectFrom(state)
  return { after: revision, position: ring.end, initial, initialEventsEnd: bookmark ? revision : undefined }
}

function fromRevision<T extends KubeObject>(cache: WatchCache<T>, key: string, after: Revision): Beginning<T> {
  const position = cache.ring.positionAfter(after)
  if (position === undefined) throw tooOld(key, `too old resource version: ${after} (${cache.ring.base})`)
  return { after, position }
}
