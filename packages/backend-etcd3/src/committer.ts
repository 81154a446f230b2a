import type { CommitOptions, CommitResult, Transaction } from '@keelson/storagebackend'
import { commitMethod } from './kv-methods.ts'
import type { KnownRevisions } from './known-revisions.ts'
import { CallFailedError, type Servers } from './servers.ts'
import { toBackendError } from './translate-error.ts'

/** Finds the outcome of a write whose response was lost. `base` is a revision of the store from before the write was sent. */
export type ResolveOutcome = (transaction: Transaction, base: number, cause: unknown) => Promise<CommitResult>

/**
 * Commits transactions to etcd. Never sends a write twice if the first attempt may have been applied. Determines the outcome of the first attempt
 * instead.
 */
export class Committer {
  readonly #servers: Servers
  readonly #knownRevisions: KnownRevisions
  readonly #resolve: ResolveOutcome

  constructor(servers: Servers, knownRevisions: KnownRevisions, resolve: ResolveOutcome) {
    this.#servers = servers
    this.#knownRevisions = knownRevisions
    this.#resolve = resolve
  }

  async commit(transaction: Transaction, { span }: CommitOptions = {}): Promise<CommitResult> {
    const base = this.#knownRevisions.current
    try {
      const result = await this.#servers.call({ type: 'write', span }, (endpoint, settings) =>
        endpoint.call(commitMethod, transaction, settings),
      )
      this.#knownRevisions.recordRevision(result.revision)
      return result
    } catch (error) {
      if (!(error instanceof CallFailedError)) throw error
      const { failure } = error
      if (failure.outcome === 'unknown') return this.#resolve(transaction, base, failure.cause)
      const put = transaction.operations.find((operation) => operation.type === 'put' && operation.lease)
      throw toBackendError(failure, { lease: put?.type === 'put' ? put.lease : undefined })
    }
  }
}
