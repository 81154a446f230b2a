import { TimeSlice } from '@keelson/apimachinery'
import type { KubeObject } from '@keelson/apimachinery'
import { hasSnapshots } from './backend.ts'
import type { Change, Entry, KeyRange, Revision } from './backend.ts'
import { isBackendError } from './backend-errors.ts'
import { StorageError, newTooLargeError, newTooOldError } from './errors.ts'
import { openSnapshot } from './object-access.ts'
import type { ObjectAccess } from './object-access.ts'
import { isEmptyPredicate, createMatcher } from './predicate.ts'
import type { ObjectEvent, ObjectEvents, ObjectWatch, StoredObject, WatchObjectsOptions } from './storage.ts'
import { translateBackendError } from './translate-error.ts'
import { isUnreadable } from './unreadable-objects.ts'
import { startsWithState } from './resource-version.ts'

const watchTooOld = 'The resourceVersion for the provided watch is too old.'
const initialBatch = 500

interface WatchRequest<T extends KubeObject> {
  readonly access: ObjectAccess<T>
  readonly range: KeyRange
  /** The parsed resourceVersion of the watch. 0 for "" and "0". */
  readonly revision: Revision
  readonly options: WatchObjectsOptions
}

/** Opens a watch on the objects in a key range. */
export async function watchObjects<T extends KubeObject>(request: WatchRequest<T>): Promise<ObjectWatch<T>> {
  const { access, range, revision, options } = request
  if (!startsWithState(options, revision)) {
    options.onInitialized?.()
    return new IteratedWatch(watchChangesAfter(request, revision > 0 ? revision : await readCurrentRevision(access, range)))
  }
  const state = await readCurrentState(access, range)
  if (revision > state.revision) throw newTooLargeError(range.start, revision, state.revision)
  // Open the watch on the driver before reading the initial events. A slow reader of the initial events could otherwise find that the next
  // changes have been compacted.
  return new IteratedWatch(withInitialEvents(request, state, watchChangesAfter(request, state.revision)))
}

interface State {
  readonly revision: Revision
  readonly entries: Iterable<Entry>
}

async function readCurrentState<T extends KubeObject>(access: ObjectAccess<T>, range: KeyRange): Promise<State> {
  const { backend } = access
  if (!hasSnapshots(backend)) return access.measure('list', range.start, () => backend.list(range))
  const snapshot = await access.measure('list', range.start, () => backend.takeSnapshot())
  return { revision: snapshot.revision, entries: snapshot.scan(range) }
}

async function readCurrentRevision<T extends KubeObject>(access: ObjectAccess<T>, range: KeyRange): Promise<Revision> {
  return (await access.measure('listWithCount', range.start, () => access.backend.list(range, { countOnly: true }))).revision
}

async function* withInitialEvents<T extends KubeObject>(
  { access, options }: WatchRequest<T>,
  state: State,
  changes: AsyncIterable<ObjectEvents<T>>,
): AsyncGenerator<ObjectEvents<T>> {
  const matches = createMatcher(options.predicate)
  const slice = new TimeSlice()
  let batch: ObjectEvent<T>[] = []
  for (const entry of state.entries) {
    const pause = slice.pauseIfOver()
    if (pause) await pause
    const wait = access.prepare(entry)
    if (wait) await wait
    const object = access.open(entry)
    if (matches && !matches(object)) continue
    batch.push({ type: 'ADDED', object })
    if (batch.length < initialBatch) continue
    yield batch
    if (options.signal.aborted) return
    batch = []
  }
  if (options.sendInitialEvents && options.allowBookmarks) {
    batch.push({ type: 'BOOKMARK', revision: state.revision, initialEventsEnd: true })
  }
  if (batch.length > 0) yield batch
  options.onInitialized?.()
  yield* changes
}

function watchChangesAfter<T extends KubeObject>(request: WatchRequest<T>, after: Revision): AsyncIterable<ObjectEvents<T>> {
  const { access, range, options } = request
  const isStateOnly = isEmptyPredicate(options.predicate) && !access.transformer
  return toEvents(request, access.backend.watch(range, after, { signal: options.signal, states: isStateOnly }))
}

async function* toEvents<T extends KubeObject>(
  { access, range, options }: WatchRequest<T>,
  messages: ReturnType<ObjectAccess<T>['backend']['watch']>,
): AsyncGenerator<ObjectEvents<T>> {
  const matches = isEmptyPredicate(options.predicate) ? undefined : createMatcher(options.predicate)
  const slice = new TimeSlice()
  try {
    for await (const message of messages) {
      if (message.type === 'progress') {
        access.metrics?.countBookmark()
        if (options.allowBookmarks) yield [{ type: 'BOOKMARK', revision: message.revision, initialEventsEnd: false }]
        continue
      }
      const state = message.state && openSnapshot(access, message.state)
      access.metrics?.countEvents(message.changes.length)
      const events: ObjectEvent<T>[] = []
      for (const change of message.changes) {
        const pause = slice.pauseIfOver()
        if (pause) await pause
        try {
          if (access.transformer) await prepareChange(access, change, matches !== undefined || options.withPrevious === true)
          const event = toEvent(access, change, matches, state !== undefined || options.withPrevious === true)
          if (event) events.push(event)
        } catch (error) {
          // Send the events of the revisions before the unreadable change. Events of the same revision are not sent, because a revision
          // must be sent completely.
          const earlierEvents = events.filter((event) => event.type !== 'BOOKMARK' && event.object.revision < readRevision(change))
          if (earlierEvents.length > 0) yield state === undefined ? earlierEvents : addStateAfter(access, range, earlierEvents)
          throw change.type === 'delete' && isUnreadable(error) ? newUnreadableDeletionError(change.key, error) : error
        }
      }
      if (events.length > 0) yield state ? Object.assign(events, { state }) : events
    }
  } catch (error) {
    if (isBackendError(error, 'CompactedError') || isBackendError(error, 'SlowWatcherError')) throw newTooOldError(range.start, watchTooOld)
    throw translateBackendError(error, range.start)
  }
}

function readRevision(change: Change): Revision {
  return change.type === 'put' ? change.entry.modRevision : change.revision
}

/** Prepares the entries of a change for `toEvent`, which decodes them. */
async function prepareChange<T extends KubeObject>(access: ObjectAccess<T>, change: Change, filtered: boolean): Promise<void> {
  if (change.type === 'put') await access.prepare(change.entry)
  if (change.previous && (filtered || change.type === 'delete')) await access.prepare(change.previous)
}

/**
 * Returns the event that a watch sends for a change, or undefined if the change does not concern its objects. For a watch without a filter,
 * `withPrevious` adds the previous object.
 */
function toEvent<T extends KubeObject>(
  access: ObjectAccess<T>,
  change: Change,
  matches: ((object: StoredObject) => boolean) | undefined,
  withPrevious: boolean,
): ObjectEvent<T> | undefined {
  if (change.type === 'delete') {
    if (!change.previous) return undefined
    const object = access.openDeleted(change.previous, change.revision)
    if (matches) return matches(object) ? { type: 'DELETED', object } : undefined
    return withPrevious ? { type: 'DELETED', object, previous: access.open(change.previous) } : { type: 'DELETED', object }
  }
  const { entry, previous } = change
  const object = access.open(entry)
  if (!matches) {
    if (!previous) return { type: 'ADDED', object }
    return withPrevious ? { type: 'MODIFIED', object, previous: access.open(previous) } : { type: 'MODIFIED', object }
  }
  const type = selectEventType(previous !== undefined && matches(access.open(previous)), matches(object))
  if (type === undefined) return undefined
  return { type, object: type === 'DELETED' ? access.openDeleted(previous!, entry.modRevision) : object }
}

/**
 * Adds the state after these events to them. They are the first events of a driver's message, whose own state is that after all its events.
 */
function addStateAfter<T extends KubeObject>(access: ObjectAccess<T>, range: KeyRange, events: ObjectEvent<T>[]): ObjectEvents<T> {
  const last = events.at(-1)!
  const revision = last.type === 'BOOKMARK' ? last.revision : last.object.revision
  const snapshot = hasSnapshots(access.backend) ? access.backend.findSnapshot(revision) : undefined
  return Object.assign(events, { state: snapshot && openSnapshot(access, snapshot.restrictTo(range.start)) })
}

function newUnreadableDeletionError(key: string, error: Error): StorageError {
  return new StorageError({
    code: 'UnreadableDeletion',
    key,
    message: `saw a DELETED event, but object data is corrupt - ${error.message}`,
    cause: error,
  })
}

/** An `ObjectWatch` that gets its batches from an async iterable. */
export class IteratedWatch<T extends KubeObject = KubeObject> implements ObjectWatch<T> {
  readonly #batches: AsyncIterable<ObjectEvents<T>>

  constructor(batches: AsyncIterable<ObjectEvents<T>>) {
    this.#batches = batches
  }

  [Symbol.asyncIterator](): AsyncIterator<ObjectEvents<T>> {
    return this.#batches[Symbol.asyncIterator]()
  }

  async forEach(read: (batch: ObjectEvents<T>) => Promise<void> | undefined): Promise<void> {
    for await (const batch of this.#batches) {
      const processing = read(batch)
      if (processing !== undefined) await processing
    }
  }
}

/** The types of events that have an object. */
export type ObjectEventType = 'ADDED' | 'MODIFIED' | 'DELETED'

/**
 * Returns the event type for a watch with a selector. `before` and `now` say whether the selector matched before and after the change.
 * Returns undefined if the watch sends no event.
 */
export function selectEventType(before: boolean, now: boolean): ObjectEventType | undefined {
  if (now) return before ? 'MODIFIED' : 'ADDED'
  return before ? 'DELETED' : undefined
}
