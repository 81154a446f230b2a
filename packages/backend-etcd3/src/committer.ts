import type { CommitResult, Operation, Transaction } from '@keelson/storagebackend'
import { CompareResult, CompareTarget, type IRequestOp, type ITxnRequest } from 'etcd3'
import type { KnownRevisions } from './known-revisions.ts'
import { CallFailedError, type Servers } from './servers.ts'
import { toBackendError } from './translate-error.ts'
import { toEntry, toKey, toRevision, toValue } from './wire-values.ts'

/** Finds out what became of a write whose answer was lost. `base`: a revision from before it was sent. */
export type ResolveOutcome = (transaction: Transaction, base: number, cause: unknown) => Promise<CommitResult>

/** Writes. One that may have happened is never sent again; what became of it is looked up. */
export class Committer {
  readonly #servers: Servers
  readonly #known: KnownRevisions
  readonly #resolve: ResolveOutcome

  constructor(servers: Servers, known: KnownRevisions, resolve: ResolveOutcome) {
    this.#servers = servers
    this.#known = known
    this.#resolve = resolve
  }

  async commit(transaction: Transaction): Promise<CommitResult> {
    const request = toRequest(transaction)
    const base = this.#known.current
    try {
      const answer = await this.#servers.call({ type: 'write' }, (endpoint, settings) => endpoint.kv.txn(request, settings))
      const revision = this.#known.saw(toRevision(answer.header.revision))
      if (answer.succeeded) return { committed: true, revision }
      const current = answer.responses.map(({ response_range: { kvs } }) => kvs[0] && toEntry(kvs[0]))
      return { committed: false, revision, current }
    } catch (error) {
      if (!(error instanceof CallFailedError)) throw error
      const { failure } = error
      if (failure.outcome === 'unknown') return this.#resolve(transaction, base, failure.cause)
      const put = transaction.operations.find((operation) => operation.type === 'put' && operation.lease)
      throw toBackendError(failure, { lease: put?.type === 'put' ? put.lease : undefined })
    }
  }
}

function toRequest({ compare, operations }: Transaction): ITxnRequest {
  return {
    compare: compare.map(({ key, modRevision }) => ({
      key: toKey(key),
      target: CompareTarget.Mod,
      result: CompareResult.Equal,
      mod_revision: modRevision,
    })),
    success: operations.map(toOperation),
    failure: compare.map(({ key }) => ({ request_range: { key: toKey(key) } })),
  }
}

function toOperation(operation: Operation): IRequestOp {
  const key = toKey(operation.key)
  if (operation.type === 'delete') return { request_delete_range: { key } }
  return { request_put: { key, value: toValue(operation.value), ...(operation.lease ? { lease: operation.lease } : undefined) } }
}
