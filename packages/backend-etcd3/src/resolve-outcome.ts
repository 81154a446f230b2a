import {
  isBackendError,
  createKeyRange,
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
  /** Maximum time to determine an outcome, in milliseconds. */
  readonly retryTimeout: number
  readonly now: () => number
  readonly pause: (milliseconds: number) => Promise<void>
}

type Put = Extract<Operation, { type: 'put' }>

/**
 * Determines the outcome of a write whose response was lost. The write may have been applied or rejected. It may also still be in progress,
 * because a Raft proposal can outlive its connection and even a restart. Only two findings end the search:
 *
 * - The key's history contains the write. Then the write was applied at that revision.
 * - The history shows that another write replaced the expected revision. Then this write was rejected, because a key never returns to an old
 *   revision.
 *
 * An unchanged key proves nothing. The outcome is unknown if the time limit ends without a proof. A put is recognized by its value. A delete
 * has no value and could come from any client, so only its rejection can be proved.
 */
export class OutcomeResolver {
  readonly #options: ResolverOptions

  constructor(options: ResolverOptions) {
    this.#options = options
  }

  async resolve(transaction: Transaction, base: Revision, cause: unknown): Promise<CommitResult> {
    const { now, pause, retryTimeout } = this.#options
    if (transaction.operations.length === 0) throw createUnknownOutcomeError(cause)
    const giveUpAt = now() + retryTimeout
    for (let pauseMs = 20; ; pauseMs = Math.min(pauseMs * 2, 500)) {
      const result = await this.#searchHistory(transaction, base, cause)
      if (result) return result
      if (now() + pauseMs > giveUpAt) throw createUnknownOutcomeError(cause)
      await pause(pauseMs)
    }
  }

  /** Searches the history of the written keys for the outcome. Returns undefined if the history proves nothing yet. */
  async #searchHistory({ compare, operations }: Transaction, base: Revision, cause: unknown): Promise<CommitResult | undefined> {
    try {
      for (const operation of operations) {
        // Only written keys are searched. A key that is only compared may have changed after the write, so it proves nothing.
        const expected = compare.find(({ key }) => key === operation.key)?.modRevision ?? 0
        const committed = expected > 0 ? await this.#findReplacement(operation, expected, base) : await this.#findPut(operation, base)
        if (committed === 'refused') return await this.#rejectedResult(compare.map(({ key }) => key))
        if (committed !== undefined) return { committed: true, revision: committed }
      }
      return undefined
    } catch (error) {
      if (isBackendError(error, 'UnavailableError')) return undefined
      // The part of the history that would prove the outcome was compacted.
      if (isBackendError(error, 'CompactedError')) throw createUnknownOutcomeError(cause)
      throw error
    }
  }

  /** Finds the change that replaced the revision `expected` of a key. If the operation was applied, it is the first change after that revision. */
  async #findReplacement(operation: Operation, expected: Revision, base: Revision): Promise<Revision | 'refused' | undefined> {
    const { entry } = await this.#options.store.get(operation.key)
    if (entry?.modRevision === expected) return undefined
    for await (const change of this.#readHistory(operation.key, expected, entry?.modRevision)) {
      if (operation.type === 'delete') return change.type === 'put' ? 'refused' : undefined
      const isOwn = change.type === 'put' && change.entry.modRevision > base && isPutBy(operation, change.entry)
      return isOwn ? change.entry.modRevision : 'refused'
    }
    return undefined
  }

  async #findPut(operation: Operation, base: Revision): Promise<Revision | undefined> {
    if (operation.type === 'delete') return undefined
    const { entry } = await this.#options.store.get(operation.key)
    if (entry && entry.modRevision <= base) return undefined
    for await (const change of this.#readHistory(operation.key, base, entry?.modRevision)) {
      if (change.type === 'put' && isPutBy(operation, change.entry)) return change.entry.modRevision
    }
    return undefined
  }

  /**
   * Yields the changes of a key after the revision `after`, up to the revision `until`. Without `until`, yields the changes that arrive within a
   * short time.
   */
  async *#readHistory(key: string, after: Revision, until: Revision | undefined): AsyncGenerator<Change> {
    const abort = new AbortController()
    const timer = setTimeout(() => abort.abort(), until === undefined ? 300 : 5000)
    try {
      for await (const message of this.#options.store.watch(createKeyRange(key), after, { signal: abort.signal })) {
        if (message.type === 'progress') continue
        yield* message.changes
        if (until !== undefined && message.revision >= until) return
      }
    } finally {
      clearTimeout(timer)
      abort.abort()
    }
  }

  async #rejectedResult(keys: readonly string[]): Promise<CommitResult> {
    const results = await Promise.all(keys.map((key) => this.#options.store.get(key)))
    const current: (Entry | undefined)[] = results.map(({ entry }) => entry)
    return { committed: false, revision: Math.max(...results.map(({ revision }) => revision)), current }
  }
}

function isPutBy(put: Put, entry: Entry): boolean {
  return Buffer.compare(put.value, entry.value) === 0 && entry.lease === (put.lease ?? 0)
}

function createUnknownOutcomeError(cause: unknown): UnknownOutcomeError {
  return new UnknownOutcomeError('the connection to etcd was lost during a write, and the outcome of the write is unknown', {
    cause,
  })
}
