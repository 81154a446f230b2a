import type { KubeObject } from '@keelson/apimachinery'
import { hasSnapshots, type BackendSnapshot, type Entry, type KeyRange, type ListPage, type Revision } from './backend.ts'
import { isBackendError } from './backend-errors.ts'
import { encodeContinue } from './continue-token.ts'
import { isStorageError, StorageError, tooLarge, transformFailed } from './errors.ts'
import { keyRange, prefixEnd } from './key-range.ts'
import { planList, type ListPlan } from './list-options.ts'
import type { ObjectAccess } from './object-access.ts'
import { matcher } from './predicate.ts'
import type { ListObjectsOptions, ObjectList, StoredObject } from './storage.ts'
import { translateBackendError } from './translate-error.ts'

const maxFetch = 10_000

const expired = 'The resourceVersion for the provided list is too old.'
const continueExpired =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, ' +
  'or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an ' +
  'inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.'

/** `prefix` is prepared: one object's key, or a prefix ending in "/". */
export async function listObjects<T extends KubeObject>(
  access: ObjectAccess<T>,
  prefix: string,
  options: ListObjectsOptions,
): Promise<ObjectList<T>> {
  const plan = planList(prefix, options)
  const range: KeyRange = options.recursive === false ? keyRange(prefix) : { start: plan.start, end: prefixEnd(prefix) }
  const { backend } = access
  try {
    if (!hasSnapshots(backend)) return await listPages(access, prefix, range, plan, options)
    const newest = backend.snapshot()
    const snapshot = plan.at === 0 || plan.at === newest.revision ? newest : backend.snapshotAt(plan.at)
    if (!snapshot && plan.at < newest.revision) throw compacted(prefix, plan)
    const wanted = Math.max(plan.at, plan.notOlderThan)
    if (wanted > newest.revision) throw tooLarge(prefix, wanted, newest.revision)
    return await listSnapshot(access, prefix, range, plan, options, snapshot!)
  } catch (error) {
    if (isBackendError(error, 'CompactedError')) throw compacted(prefix, plan)
    if (isBackendError(error, 'FutureRevisionError')) throw tooLarge(prefix, plan.at, error.currentRevision)
    if (isStorageError(error, 'Internal'))
      throw transformFailed(error.key, `unable to transform key ${JSON.stringify(error.key)}: ${error.message}`)
    throw translateBackendError(error, prefix)
  }
}

/** The walk itself is the list: nothing is copied. With a limit, one page of it is taken. */
async function listSnapshot<T extends KubeObject>(
  access: ObjectAccess<T>,
  prefix: string,
  range: KeyRange,
  plan: ListPlan,
  options: ListObjectsOptions,
  snapshot: BackendSnapshot,
): Promise<ObjectList<T>> {
  const { revision } = snapshot
  const matches = matcher(options.predicate)
  if (plan.limit === 0) {
    if (access.transformer) await access.openAhead(snapshot.scan(range))
    return { revision, continue: '', remainingItemCount: undefined, items: openEach(access, snapshot.scan(range), matches) }
  }
  const page = new PageBuilder(access, plan.limit, matches)
  const scan = snapshot.scan(range)
  let more = false
  for (let next = scan.next(); !next.done; next = scan.next()) {
    if (page.full) {
      more = true
      break
    }
    if (access.transformer && next.value.view === undefined) await access.openAhead([next.value])
    page.add(next.value)
  }
  if (!more) return page.last(revision)
  return page.continued(prefix, revision, matches ? undefined : snapshot.count(range))
}

/** Fetches until the page is full; when a selector drops most, by ever larger pieces. */
async function listPages<T extends KubeObject>(
  access: ObjectAccess<T>,
  prefix: string,
  range: KeyRange,
  plan: ListPlan,
  options: ListObjectsOptions,
): Promise<ObjectList<T>> {
  const matches = matcher(options.predicate)
  const page = new PageBuilder(access, plan.limit === 0 ? Infinity : plan.limit, matches)
  let at = plan.at
  let fetch = plan.limit
  let start = range.start
  for (;;) {
    const fetched: ListPage = await access.backend.list(
      { start, end: range.end },
      {
        ...(at === 0 ? undefined : { at }),
        ...(fetch === 0 ? undefined : { limit: fetch }),
        ...(options.signal && { signal: options.signal }),
      },
    )
    if (plan.notOlderThan > fetched.revision) throw tooLarge(prefix, plan.notOlderThan, fetched.revision)
    if (at === 0) at = fetched.revision
    if (access.transformer) await access.openAhead(fetched.entries)
    let more = fetched.more
    for (const entry of fetched.entries) {
      if (page.full) {
        more = true
        break
      }
      page.add(entry)
    }
    if (!more) return page.last(at)
    if (page.full) return page.continued(prefix, at, matches ? undefined : fetched.count)
    start = `${fetched.entries.at(-1)!.key}\0`
    fetch = Math.min(fetch * 2, maxFetch)
  }
}

class PageBuilder<T extends KubeObject> {
  readonly #access: ObjectAccess<T>
  readonly #limit: number
  readonly #matches: ((object: StoredObject) => boolean) | undefined
  readonly #items: StoredObject<T>[] = []
  #lastKey = ''

  constructor(access: ObjectAccess<T>, limit: number, matches: ((object: StoredObject) => boolean) | undefined) {
    this.#access = access
    this.#limit = limit
    this.#matches = matches
  }

  get full(): boolean {
    return this.#items.length >= this.#limit
  }

  add(entry: Entry): void {
    this.#lastKey = entry.key
    const object = this.#access.open(entry)
    if (!this.#matches || this.#matches(object)) this.#items.push(object)
  }

  last(revision: Revision): ObjectList<T> {
    return { revision, continue: '', remainingItemCount: undefined, items: this.#items }
  }

  /** `count` is that of the range from where this page began; undefined when a selector makes it meaningless. */
  continued(prefix: string, revision: Revision, count: number | undefined): ObjectList<T> {
    return {
      revision,
      continue: encodeContinue(`${this.#lastKey}\0`, prefix, revision),
      remainingItemCount: count === undefined ? undefined : count - this.#limit,
      items: this.#items,
    }
  }
}

function* openEach<T extends KubeObject>(
  access: ObjectAccess<T>,
  entries: Iterable<Entry>,
  matches: ((object: StoredObject) => boolean) | undefined,
): Generator<StoredObject<T>> {
  for (const entry of entries) {
    const object = access.open(entry)
    if (!matches || matches(object)) yield object
  }
}

function compacted(prefix: string, plan: ListPlan): StorageError {
  const details = { code: 'ResourceVersionTooOld', key: prefix, revision: plan.at } as const
  if (!plan.continued) return new StorageError({ ...details, message: expired })
  // -1 lets the client go on at the newest revision, if it accepts an inconsistent list.
  return new StorageError({ ...details, message: continueExpired, continue: encodeContinue(plan.start, prefix, -1) })
}
