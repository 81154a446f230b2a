import {
  isBackendError,
  keyRange,
  UnknownOutcomeError,
  type Change,
  type CommitResult,
  type Entry,
  type Operation,
  type Reader,
  type Revision,
  type Transaction,
  type Watcher,
} from '@keelson/storagebackend'

export interface ResolverOptions {
  readonly store: Reader & Pick<Watcher, 'watch'>
  /** How long the store may be asked. */
  readonly patience: number
  readonly now: () => number
  readonly pause: (milliseconds: number) => Promise<void>
}

type Put = Extract<Operation, { type: 'put' }>

/**
 * What became of a write whose answer was lost. It may have been done, been refused, or still be on its way: a proposal can outlive its
 * connection, even a restart. So only two things end the search:
 *
 * - the key's history shows the write: it was done, at that revision;
 * - the history shows that the revision it was to replace was replaced by something else: it was refused, now and for ever, since no key
 *   ever has an old revision again.
 *
 * "Nothing has happened yet" proves nothing; when patience ends, the outcome is unknown. A write is recognised by its value. A delete
 * has none and looks like anybody's, so it can be shown to have been refused, but not to have been done.
 */
export class OutcomeResolver {
  readonly #options: ResolverOptions

  constructor(options: ResolverOptions) {
    this.#options = options
  }

  async resolve(transaction: Transaction, base: Revision, cause: unknown): Promise<CommitResult> {
    const { now, pause, patience } = this.#options
    if (transaction.operations.length === 0) throw unknown(cause)
    const giveUp = now() + patience
    for (let wait = 20; ; wait = Math.min(wait * 2, 500)) {
      const result = await this.#look(transaction, base, cause)
      if (result) return result
      if (now() + wait > giveUp) throw unknown(cause)
      await pause(wait)
    }
  }

  /** Undefined: nothing is proved yet. */
  async #look({ compare, operations }: Transaction, base: Revision, cause: unknown): Promise<CommitResult | undefined> {
    try {
      for (const operation of operations) {
        // Compared without being written proves nothing: it may have changed after the write.
        const expected = compare.find(({ key }) => key === operation.key)?.modRevision ?? 0
        const found = expected > 0 ? await this.#replaced(operation, expected, base) : await this.#written(operation, base)
        if (found === 'refused') return await this.#refused(compare.map(({ key }) => key))
        if (found !== undefined) return { committed: true, revision: found }
      }
      return undefined
    } catch (error) {
      if (isBackendError(error, 'UnavailableError')) return undefined
      // The history that would tell is gone.
      if (isBackendError(error, 'CompactedError')) throw unknown(cause)
      throw error
    }
  }

  /** The operation could only be done on `expected`, so if it was, it was the first change after that. */
  async #replaced(operation: Operation, expected: Revision, base: Revision): Promise<Revision | 'refused' | undefined> {
    const { entry } = await this.#options.store.get(operation.key)
    if (entry?.modRevision === expected) return undefined
    for await (const change of this.#history(operation.key, expected, entry?.modRevision)) {
      if (operation.type === 'delete') return change.type === 'put' ? 'refused' : undefined
      const isOwn = change.type === 'put' && change.entry.modRevision > base && isBy(operation, change.entry)
      return isOwn ? change.entry.modRevision : 'refused'
    }
    return undefined
  }

  async #written(operation: Operation, base: Revision): Promise<Revision | undefined> {
    if (operation.type === 'delete') return undefined
    const { entry } = await this.#options.store.get(operation.key)
    if (entry && entry.modRevision <= base) return undefined
    for await (const change of this.#history(operation.key, base, entry?.modRevision)) {
      if (change.type === 'put' && isBy(operation, change.entry)) return change.entry.modRevision
    }
    return undefined
  }

  /** The key's changes after `after`, up to the one at `until`; without it, those that come within a moment. */
  async *#history(key: string, after: Revision, until: Revision | undefined): AsyncGenerator<Change> {
    const abort = new AbortController()
    const timer = setTimeout(() => abort.abort(), until === undefined ? 300 : 5000)
    try {
      for await (const message of this.#options.store.watch(keyRange(key), after, { signal: abort.signal })) {
        if (message.type === 'progress') continue
        yield* message.changes
        if (until !== undefined && message.revision >= until) return
      }
    } finally {
      clearTimeout(timer)
      abort.abort()
    }
  }

  async #refused(keys: readonly string[]): Promise<CommitResult> {
    const answers = await Promise.all(keys.map((key) => this.#options.store.get(key)))
    const current: (Entry | undefined)[] = answers.map(({ entry }) => entry)
    return { committed: false, revision: Math.max(...answers.map(({ revision }) => revision)), current }
  }
}

function isBy(put: Put, entry: Entry): boolean {
  return Buffer.compare(put.value, entry.value) === 0 && entry.lease === (put.lease ?? 0)
}

function unknown(cause: unknown): UnknownOutcomeError {
  return new UnknownOutcomeError('the connection to etcd was lost while it was writing, and what became of the write cannot be told', {
    cause,
  })
}
