import type { KubeObject } from '@keelson/apimachinery'
import { hasSnapshots } from './backend.ts'
import type { BackendSnapshot, Entry, KeyRange, ListPage, Revision } from './backend.ts'
import { isBackendError } from './backend-errors.ts'
import { encodeContinue, decodeContinue } from './continue-token.ts'
import { isStorageError, StorageError, newTooLargeError, newTransformError } from './errors.ts'
import { createKeyRange, computePrefixEnd } from './object-key.ts'
import type { ObjectAccess } from './object-access.ts'
import { ObjectPage } from './object-page.ts'
import type { ObjectPageOptions } from './object-page.ts'
import { isEmptyPredicate } from './predicate.ts'
import type { ListObjectsOptions, ObjectList, StoredObject } from './storage.ts'
import { translateBackendError } from './translate-error.ts'
import type { UnreadableObjects } from './unreadable-objects.ts'
import { requireResourceVersion, selectListedState } from './resource-version.ts'

const maxFetch = 10_000

const expired = 'The resourceVersion for the provided list is too old.'
const continueExpired =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, ' +
  'or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an ' +
  'inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.'

interface ListRequest<T extends KubeObject> {
  readonly access: ObjectAccess<T>
  /** The key of one object, or a prefix that ends with "/", as returned by `prepareKey`. */
  readonly prefix: string
  readonly options: ListObjectsOptions
  /** Collects the unreadable objects of the list. Absent: the list fails at the first unreadable object. */
  readonly unreadable?: UnreadableObjects | undefined
}

interface PlannedList<T extends KubeObject> extends ListRequest<T> {
  readonly plan: ListPlan
  readonly range: KeyRange
}

/** Lists the objects under a prefix, or one object. */
export async function listObjects<T extends KubeObject>(request: ListRequest<T>): Promise<ObjectList<T>> {
  const { access, prefix, options } = request
  const plan = planList(prefix, options)
  const range: KeyRange = options.recursive === false ? createKeyRange(prefix) : { start: plan.start, end: computePrefixEnd(prefix) }
  const list = { ...request, plan, range }
  const { backend } = access
  try {
    if (!hasSnapshots(backend)) return await listFetched(list)
    const snapshot = await access.measure('list', prefix, () => {
      const newest = backend.takeSnapshot()
      const snapshot = plan.at === 0 || plan.at === newest.revision ? newest : backend.findSnapshot(plan.at)
      if (!snapshot && plan.at < newest.revision) throw newCompactedError(prefix, plan)
      const required = Math.max(plan.at, plan.notOlderThan)
      if (required > newest.revision) throw newTooLargeError(prefix, required, newest.revision)
      return snapshot!
    })
    return await listSnapshot(list, snapshot)
  } catch (error) {
    if (isBackendError(error, 'CompactedError')) throw newCompactedError(prefix, plan)
    if (isBackendError(error, 'FutureRevisionError')) throw newTooLargeError(prefix, plan.at, error.currentRevision)
    if (isStorageError(error, 'Internal')) throw withKey(error)
    throw translateBackendError(error, prefix)
  }
}

/** Lists objects from a snapshot. Without limit and selector, nothing is copied, and the caller iterates over the snapshot lazily. */
async function listSnapshot<T extends KubeObject>(list: PlannedList<T>, snapshot: BackendSnapshot): Promise<ObjectList<T>> {
  const { access, prefix, options, plan, range, unreadable } = list
  const { revision } = snapshot
  if (plan.limit === 0 && isEmptyPredicate(options.predicate) && !unreadable) {
    // Iterating cannot wait for encryption keys, so decode all entries first.
    if (access.transformer) await access.openAhead(snapshot.scan(range))
    const count = snapshot.count(range)
    access.metrics?.recordList(count, count, count)
    return { revision, continue: '', remainingItemCount: undefined, items: openEach(access, snapshot.scan(range)) }
  }
  const page = newPage(list)
  try {
    const complete = await page.fill(snapshot.scan(range))
    unreadable?.check()
    return complete ? page.last(revision) : page.continued(prefix, revision, snapshot.count(range))
  } finally {
    access.metrics?.recordList(page.examined, page.examined, page.length)
  }
}

/**
 * Lists objects by reading from the driver until the page is full. If a selector rejects most objects, each read fetches more entries than
 * the one before.
 */
async function listFetched<T extends KubeObject>(list: PlannedList<T>): Promise<ObjectList<T>> {
  const { access, prefix, options, plan, range, unreadable } = list
  const page = newPage(list)
  const { span } = options
  const shared = { ...(options.signal && { signal: options.signal }), ...(span && { span }) }
  let at = plan.at
  let limit = plan.limit
  let start = range.start
  let read = 0
  try {
    for (;;) {
      const startRange = { start, end: range.end }
      const readOptions = { ...(at !== 0 && { at }), ...(limit !== 0 && { limit }), ...shared }
      const fetched: ListPage = await access.measure('list', prefix, () => access.backend.list(startRange, readOptions))
      read += fetched.entries.length
      if (plan.notOlderThan > fetched.revision) throw newTooLargeError(prefix, plan.notOlderThan, fetched.revision)
      if (at === 0) at = fetched.revision
      const complete = await page.fill(fetched.entries)
      if (complete && !fetched.more) {
        unreadable?.check()
        return page.last(at)
      }
      if (page.full) {
        unreadable?.check()
        return page.continued(prefix, at, fetched.count)
      }
      start = `${fetched.entries.at(-1)!.key}\0`
      limit = Math.min(limit * 2, maxFetch)
    }
  } finally {
    access.metrics?.recordList(read, page.examined, page.length)
  }
}

function newPage<T extends KubeObject>({ access, options, plan, unreadable }: PlannedList<T>): ObjectPage<T> {
  const filtered = !isEmptyPredicate(options.predicate)
  const select = filtered ? access.selecting(options.predicate!) : (entry: Entry) => access.open(entry)
  const open: Open<T> = (entry) => {
    const wait = access.prepare(entry)
    return wait ? wait.then(() => select(entry)) : select(entry)
  }
  return new ObjectPage({
    open: unreadable ? collectUnreadable(unreadable, open) : open,
    limit: plan.limit,
    filtered,
    signal: options.signal,
  })
}

type Open<T extends KubeObject> = ObjectPageOptions<T>['open']

function collectUnreadable<T extends KubeObject>(unreadable: UnreadableObjects, open: Open<T>): Open<T> {
  return (entry) => {
    const add = (error: unknown): undefined => {
      unreadable.add(entry.key, error)
      return undefined
    }
    try {
      const object = open(entry)
      return object instanceof Promise ? object.catch(add) : object
    } catch (error) {
      return add(error)
    }
  }
}

function* openEach<T extends KubeObject>(access: ObjectAccess<T>, entries: Iterable<Entry>): Generator<StoredObject<T>> {
  for (const entry of entries) yield access.open(entry)
}

/** Adds the key of the object to the error message, because a list has many objects. */
function withKey(error: StorageError): StorageError {
  return newTransformError(error.key, `unable to transform key ${JSON.stringify(error.key)}: ${error.message}`)
}

function newCompactedError(prefix: string, plan: ListPlan): StorageError {
  const details = { code: 'ResourceVersionTooOld', key: prefix, revision: plan.at } as const
  if (!plan.continued) return new StorageError({ ...details, message: expired })
  // The token contains -1 instead of a revision. A client that accepts an inconsistent list can continue with it at the newest revision.
  return new StorageError({ ...details, message: continueExpired, continue: encodeContinue(plan.start, prefix, -1) })
}

/** The parameters of the reads of a list. */
interface ListPlan {
  /** The revision to read, or 0 for the newest. */
  readonly at: Revision
  /** The minimum revision of the state that the list returns. */
  readonly notOlderThan: Revision
  /** The first key to read. */
  readonly start: string
  readonly continued: boolean
  /** The page size, or 0 for no limit. */
  readonly limit: number
}

function planList(prefix: string, options: ListObjectsOptions): ListPlan {
  const { resourceVersion = '', resourceVersionMatch, recursive = true } = options
  const limit = Math.max(0, options.limit ?? 0)
  const position = recursive && options.continue ? decodeContinue(options.continue, prefix) : undefined
  if (position && resourceVersion !== '' && resourceVersion !== '0') {
    const message = 'specifying resource version is not allowed when using continue'
    throw new StorageError({ code: 'BadRequest', key: prefix, message })
  }
  const revision = requireResourceVersion(resourceVersion)
  const state = selectListedState({
    resourceVersion,
    resourceVersionMatch,
    // A list of a single key has no pages.
    limit: recursive ? limit : 0,
    revision,
    token: position && { revision: position.revision, startKey: position.start },
  })
  return {
    at: state.type === 'exact' ? state.revision : 0,
    notOlderThan: state.type === 'latest' ? 0 : state.revision,
    start: position?.start ?? prefix,
    continued: position !== undefined,
    limit,
  }
}
