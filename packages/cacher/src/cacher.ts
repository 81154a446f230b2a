import { systemClock } from '@keelson/apimachinery'
import type { Clock, GroupResource, KubeObject, Span } from '@keelson/apimachinery'
import {
  StorageError,
  decodeContinue,
  hasObjectSnapshots,
  isInRange,
  parseResourceVersion,
  computePrefixEnd,
  createPrefixRange,
  prepareKey,
  requireParsableResourceVersion,
  newTooLargeError,
} from '@keelson/storagebackend'
import type {
  CreateOptions,
  DeleteObjectOptions,
  GetOptions,
  ListObjectsOptions,
  ObjectList,
  ObjectSnapshot,
  ObjectWatch,
  Predicate,
  Revision,
  Storage,
  StorageStats,
  StoredObject,
  TracedOptions,
  TryUpdate,
  UpdateOptions,
  WatchObjectsOptions,
} from '@keelson/storagebackend'
import { listFromState } from './cached-list.ts'
import type { CachedListOptions } from './cached-list.ts'
import { CachedWatch } from './cached-watch.ts'
import { ConsistencyCheck } from './consistency-check.ts'
import { compareDigests } from './digest.ts'
import type { DigestComparison } from './digest.ts'
import { Dispatcher } from './dispatcher.ts'
import type { EventRingOptions } from './event-ring.ts'
import { runFeed } from './feed.ts'
import { Freshness } from './freshness.ts'
import { Indexes } from './indexes.ts'
import type { IndexedKeys } from './indexes.ts'
import { Readiness } from './readiness.ts'
import { routeList } from './read-routing.ts'
import type { ReadRoute } from './read-routing.ts'
import { Selection } from './cache-event.ts'
import { slowStepMs, startCacheStep, startGetStep, TracedGetOptions } from './cache-steps.ts'
import { WatchCache } from './watch-cache.ts'
import type { ResourceCacheMetrics } from './watch-cache-metrics.ts'
import { WatchRegister } from './watch-register.ts'
import type { CacheStatus, WatchRegisterOptions } from './watch-register.ts'

export interface CacherOptions<T extends KubeObject = KubeObject> extends WatchRegisterOptions {
  /** The wrapped storage. The cacher closes it. */
  readonly storage: Storage<T>
  /** The prefix of all keys of the resource. If it does not end with "/", a "/" is added. */
  readonly prefix: string
  /** The selectable field that most watchers use: "spec.nodeName" for pods. */
  readonly triggerField?: string | undefined
  /** Makes the store send progress on its watches soon. Absent: reads wait for the progress that the store sends regularly. */
  readonly requestProgress?: (() => Promise<void>) | undefined
  /** Returns the store's oldest readable revision. The cache refuses older revisions too. */
  readonly compactedRevision?: (() => Revision) | undefined
  readonly clock?: Clock | undefined
  readonly ring?: EventRingOptions | undefined
  /** The resource in traces. */
  readonly resource?: GroupResource | undefined
  /** The maximum time that a read waits until the cache has a revision, in milliseconds. Default: 3,000. */
  readonly freshnessTimeout?: number | undefined
  /** The interval between comparisons of the cache with the store, in milliseconds. 0 disables comparisons. Default: 5 minutes. */
  readonly digestPeriod?: number | undefined
  /** Returns a random number from 0 to 1. It varies the interval between comparisons. */
  readonly random?: (() => number) | undefined
  readonly metrics?: ResourceCacheMetrics | undefined
  /** Called for errors outside of requests, for example if the watch on the store fails, or if the cache differs from the store. */
  readonly onError?: ((error: unknown) => void) | undefined
}

/** A request that waits for a revision. */
type WaitOptions = Pick<GetOptions, 'signal' | 'span'>

/** A list that the cache answers. */
interface CachedListRequest {
  readonly prefix: string
  readonly route: Exclude<ReadRoute, { readonly type: 'store' }>
  readonly options: ListObjectsOptions
}

const reinitializing = 'storage is (re)initializing'

/**
 * A watch cache: a storage that wraps another storage. It answers reads and watches from memory, and passes writes to the wrapped storage.
 * Callers see no difference except in speed.
 */
export class Cacher<T extends KubeObject = KubeObject> implements Storage<T> {
  readonly #options: CacherOptions<T>
  readonly #storage: Storage<T>
  readonly #prefix: string
  readonly #timeout: number
  readonly #readiness: Readiness
  readonly #freshness: Freshness
  readonly #indexes: Indexes<T>
  readonly #cache: WatchCache<T>
  readonly #watches: WatchRegister<T>
  readonly #closing = new AbortController()
  readonly #feed: Promise<void>
  readonly #check: ConsistencyCheck
  /** Whether the cache has a complete older state while it is not ready. */
  #hasOldState = false

  constructor(options: CacherOptions<T>) {
    this.#options = options
    this.#storage = options.storage
    const prefix = (this.#prefix = options.prefix.endsWith('/') ? options.prefix : `${options.prefix}/`)
    this.#timeout = options.freshnessTimeout ?? 3000
    const clock = options.clock ?? systemClock
    this.#readiness = new Readiness(clock)
    this.#freshness = new Freshness({ clock, requestProgress: options.requestProgress, metrics: options.metrics })
    const store = hasObjectSnapshots(options.storage) ? options.storage : undefined
    const dispatcher = new Dispatcher<T>({ prefix, triggerField: options.triggerField })
    this.#indexes = new Indexes({ prefix, triggerField: options.triggerField, clock })
    this.#cache = new WatchCache({
      indexes: this.#indexes,
      clock,
      freshness: this.#freshness,
      dispatcher,
      ring: options.ring,
      store,
      metrics: options.metrics,
    })
    this.#watches = new WatchRegister({ ...options, clock, cache: this.#cache, dispatcher })
    this.#feed = runFeed({
      storage: options.storage,
      prefix,
      clock,
      signal: this.#closing.signal,
      onError: options.onError,
      cache: this.#cache,
      replace: (list) => this.#replace(list),
      onRestart: (reason, isWhole) => this.#restart(reason, isWhole),
    })
    this.#check = new ConsistencyCheck({
      clock,
      period: options.digestPeriod ?? 300_000,
      random: options.random ?? Math.random,
      compare: () => (this.#readiness.isReady ? this.compareWithStore() : undefined),
      onError: options.onError,
      metrics: options.metrics,
    })
  }

  create(key: string, object: T, options?: CreateOptions): Promise<StoredObject<T>> {
    return this.#storage.create(key, object, options)
  }

  /** Passes the update to the store, with the cached object as its suggestion. */
  guaranteedUpdate(key: string, tryUpdate: TryUpdate<T>, options?: UpdateOptions<T>): Promise<StoredObject<T>> {
    return this.#storage.guaranteedUpdate(key, tryUpdate, this.#withSuggestion(key, options))
  }

  delete(key: string, options?: DeleteObjectOptions<T>): Promise<StoredObject<T>> {
    return this.#storage.delete(key, this.#withSuggestion(key, options))
  }

  get(key: string, options: GetOptions = {}): Promise<StoredObject<T>> {
    return options.span === undefined ? this.#get(key, options) : this.#getInStep(key, options, startGetStep(options.span, key, options))
  }

  async #getInStep(key: string, options: GetOptions, step: Span): Promise<StoredObject<T>> {
    try {
      return await this.#get(key, new TracedGetOptions(options, step))
    } finally {
      step.end(slowStepMs)
    }
  }

  #get(key: string, options: GetOptions): Promise<StoredObject<T>> {
    if ((options.resourceVersion ?? '') === '' || !(this.#readiness.isReady || this.#hasOldStateFrom(options.resourceVersion)))
      return this.#getFromStore(key, options)
    return this.#getNotOlder(key, options)
  }

  #getFromStore(key: string, options: GetOptions): Promise<StoredObject<T>> {
    options.span?.addEvent('About to Get from underlying storage')
    return this.#storage.get(key, options)
  }

  async #getNotOlder(key: string, options: GetOptions): Promise<StoredObject<T>> {
    const revision = requireParsableResourceVersion(options.resourceVersion)
    const prepared = prepareKey(this.#prefix, key, false)
    options.span?.addEvent('About to fetch object from cache')
    await this.#waitFor(prepared, revision, options)
    const object = this.#cache.get(prepared)
    if (object === undefined) throw new StorageError({ code: 'KeyNotFound', key: prepared })
    return object
  }

  async list(key: string, options: ListObjectsOptions = {}): Promise<ObjectList<T>> {
    const prefix = prepareKey(this.#prefix, key, options.recursive ?? true)
    const route = this.#route(prefix, options)
    if (
      route.type === 'store' ||
      !(this.#readiness.isReady || (route.type === 'notOlderThan' && this.#hasOldStateFrom(options.resourceVersion)))
    )
      return this.#storage.list(key, options)
    const { span } = options
    if (span === undefined) return this.#listFromCache(key, { prefix, route, options })
    const step = startCacheStep(span, 'cacher.GetList', this.#options.resource)
    step.addEvent('Ready')
    try {
      const list = await this.#listFromCache(key, { prefix, route, options: { ...options, span: step } })
      step.addEvent('Listed items from cache')
      step.addEvent('Filtered items', Array.isArray(list.items) ? { count: list.items.length } : undefined)
      return list
    } finally {
      step.end(slowStepMs)
    }
  }

  async #listFromCache(key: string, { prefix, route, options }: CachedListRequest): Promise<ObjectList<T>> {
    const fromStore = (): Promise<ObjectList<T>> => this.#storage.list(key, options)
    switch (route.type) {
      case 'notOlderThan':
        await this.#waitFor(prefix, route.revision, options)
        return this.#listLatest(prefix, undefined, route.limit, options)
      case 'consistent': {
        const revision = await this.#storage.getCurrentRevision(options)
        const isFresh = (await this.#waitUntilFresh(revision, options)) && this.#readiness.isReady
        const list = isFresh ? this.#listLatest(prefix, route.startKey, route.limit, options) : fromStore()
        const count = (success: boolean): void => this.#options.metrics?.countConsistentRead(success, !isFresh)
        list.then(
          () => count(true),
          () => count(false),
        )
        return list
      }
      case 'exact': {
        await this.#waitFor(prefix, route.revision, options)
        const state = this.#cache.stateAt(route.revision)
        return state === undefined ? fromStore() : listFromState(state, { ...route, prefix, ...this.#listing(options) })
      }
    }
  }

  async watch(key: string, options: WatchObjectsOptions): Promise<ObjectWatch<T>> {
    const step = options.span && startCacheStep(options.span, 'cacher.Watch', this.#options.resource)
    try {
      return await this.#watch(key, step === undefined ? options : { ...options, span: step })
    } finally {
      step?.end(slowStepMs)
    }
  }

  async #watch(key: string, options: WatchObjectsOptions): Promise<ObjectWatch<T>> {
    const recursive = options.recursive ?? true
    const selection = new Selection<T>(prepareKey(this.#prefix, key, recursive), recursive, options.predicate)
    requireParsableResourceVersion(options.resourceVersion)
    const status: CacheStatus = {
      isReady: () => this.#readiness.isReady,
      storeRevision: () => this.#storage.getCurrentRevision(options),
      waitFor: (revision) => this.#waitUntilFresh(revision, options),
    }
    while (await this.#readiness.wait(this.#timeout, options.signal)) {
      const watcher = await this.#watches.open(selection, options, status)
      if (watcher !== undefined) return new CachedWatch(watcher)
    }
    throw this.#createNotReadyError()
  }

  deleteUnreadable(key: string, options?: { readonly signal?: AbortSignal }): Promise<Revision> {
    return this.#storage.deleteUnreadable(key, options)
  }

  count(key: string): Promise<number> {
    return this.#storage.count(key)
  }

  measureStats(): Promise<StorageStats> {
    return this.#storage.measureStats()
  }

  getCurrentRevision(options?: TracedOptions): Promise<Revision> {
    return this.#storage.getCurrentRevision(options)
  }

  async checkReady(): Promise<void> {
    if (!this.#readiness.isReady) throw this.#createNotReadyError()
    await this.#storage.checkReady()
  }

  /** Resolves to true when the cache is filled, or to false after `milliseconds`. */
  waitUntilReady(milliseconds: number): Promise<boolean> {
    return this.#readiness.wait(milliseconds)
  }

  /** Compares the cache with the store at the same revision. */
  compareWithStore(): Promise<DigestComparison> {
    const objects = this.#cache.state.scan(createPrefixRange(this.#prefix), { keep: false })
    return compareDigests({ revision: this.#cache.revision, objects }, this.#storage, this.#prefix)
  }

  async close(): Promise<void> {
    this.#readiness.stop()
    this.#check.stop()
    this.#closing.abort()
    this.#freshness.release()
    this.#watches.endAll(undefined)
    await this.#feed
    await this.#storage.close()
    this.#options.metrics?.close()
  }

  #restart(reason: string, isWhole: boolean): void {
    this.#hasOldState = isWhole
    this.#readiness.setPending(reason)
    this.#watches.expireAll()
  }

  async #replace(list: ObjectList<T>): Promise<void> {
    await this.#cache.replace(list)
    this.#hasOldState = false
    this.#options.metrics?.countInitialization()
    this.#readiness.setReady()
  }

  #route(prefix: string, options: ListObjectsOptions): ReadRoute {
    const compacted = this.#options.compactedRevision?.() ?? 0
    const cache = this.#cache
    return routeList(
      {
        resourceVersion: options.resourceVersion ?? '',
        match: options.resourceVersionMatch,
        limit: options.limit ?? 0,
        token: readToken(options.continue, prefix),
        recursive: options.recursive ?? true,
      },
      { revision: cache.revision, holds: (revision) => revision >= compacted && cache.stateAt(revision) !== undefined },
    )
  }

  #listLatest(prefix: string, startKey: string | undefined, limit: number, options: ListObjectsOptions): Promise<ObjectList<T>> {
    const { revision, state } = this.#cache
    if (options.recursive ?? true) {
      const indexed = this.#indexed(state, prefix, startKey, options.predicate)
      return listFromState(state, { indexed, revision, prefix, startKey, limit, ...this.#listing(options) })
    }
    const object = this.#cache.get(prefix)
    this.#options.metrics?.recordList('', 1, object === undefined ? 0 : 1)
    const matches = object !== undefined && new Selection<T>(prefix, false, options.predicate).matches(object)
    return Promise.resolve({ revision, continue: '', remainingItemCount: undefined, items: matches ? [object] : [] })
  }

  /**
   * Returns the keys of the objects that the predicate may match, if they can be found without testing all objects. That is so for one name
   * in one namespace, or if an index has them. Otherwise returns undefined.
   */
  #indexed(
    state: ObjectSnapshot<T>,
    prefix: string,
    startKey: string | undefined,
    predicate: Predicate | undefined,
  ): IndexedKeys | undefined {
    const range = { start: startKey ?? prefix, end: computePrefixEnd(prefix) }
    const name = prefix === this.#prefix ? undefined : predicate?.fields.requiresExactMatch('metadata.name')
    if (name === undefined) return this.#indexes.keysFor(predicate, range, state)
    return { name: 'f:metadata.name', keys: [prefix + name].filter((key) => isInRange(range, key)), exact: false }
  }

  #listing({ predicate, signal }: ListObjectsOptions): Pick<CachedListOptions, 'predicate' | 'signal' | 'metrics'> {
    return { predicate, signal, metrics: this.#options.metrics }
  }

  /**
   * Returns true if the cache, while it is not ready, can answer a read of any state from `resourceVersion` on with its older state. The
   * cache may be in this situation for long: if the store has one unreadable object, filling the cache fails.
   */
  #hasOldStateFrom(resourceVersion: string | undefined): boolean {
    return this.#hasOldState && (parseResourceVersion(resourceVersion) ?? Infinity) <= this.#cache.revision
  }

  /** Waits until the cache has the revision. Throws `ResourceVersionTooLarge` after a timeout. */
  async #waitFor(key: string, revision: Revision, options: WaitOptions): Promise<void> {
    if (await this.#waitUntilFresh(revision, options)) return
    options.signal?.throwIfAborted()
    throw newTooLargeError(key, revision, this.#cache.revision)
  }

  /** Resolves to true when the cache has the revision, or to false after a timeout. */
  async #waitUntilFresh(revision: Revision, { signal, span }: WaitOptions): Promise<boolean> {
    span?.addEvent('watchCache locked acquired')
    const isFresh = await this.#freshness.wait(revision, this.#timeout, signal)
    if (isFresh) span?.addEvent('watchCache fresh enough')
    return isFresh
  }

  #createNotReadyError(): StorageError {
    return new StorageError({ code: 'NotReady', key: this.#prefix, message: reinitializing })
  }

  /** Returns the cached object. Returns undefined for an unreadable object, so that the store is read and reports the error. */
  #getIfReadable(key: string): StoredObject<T> | undefined {
    try {
      return this.#cache.get(key)
    } catch {
      return undefined
    }
  }

  /** Adds the cached object to options, unless the caller suggests a newer one. */
  #withSuggestion<O extends { readonly suggestion?: StoredObject<T> }>(key: string, options: O | undefined): O {
    const cached = this.#readiness.isReady ? this.#getIfReadable(key) : undefined
    if (cached === undefined || (options?.suggestion?.revision ?? 0) >= cached.revision) return (options ?? {}) as O
    return { ...options, suggestion: cached } as O
  }
}

function readToken(token: string | undefined, prefix: string): Parameters<typeof routeList>[0]['token'] {
  if (token === undefined || token === '') return undefined
  try {
    const { start, revision } = decodeContinue(token, prefix)
    return { startKey: start, revision }
  } catch {
    return 'invalid'
  }
}
