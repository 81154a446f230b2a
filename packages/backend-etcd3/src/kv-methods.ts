import { WireReader, WireWriter } from '@keelson/apimachinery/protobuf'
import type { CommitResult, Entry, Operation, Revision, Transaction } from '@keelson/storagebackend'
import type { UnaryMethod } from './unary-call.ts'
import { toKey, toLeaseId, requireSafeInteger } from './wire-values.ts'

/** Request to read a range or a single key. `end` is exclusive. Without `end`, reads only `key`. */
export interface RangeRequest {
  readonly key: string
  readonly end?: string | undefined
  /** Maximum number of entries in the response. Default: no limit. */
  readonly limit?: number | undefined
  /** Revision to read. Default: the current revision. */
  readonly at?: Revision | undefined
  readonly countOnly?: boolean
}

export interface RangeResponse {
  /** Current revision of the store, even if an older revision was read. */
  readonly revision: Revision
  readonly entries: readonly Entry[]
  readonly more: boolean
  readonly count: number
}

/**
 * The Range method of etcd. Its encoding converts directly between messages and the types of the storage contract. etcd3's encoding creates
 * intermediate objects with all fields, and represents integers as strings.
 */
export const rangeMethod: UnaryMethod<RangeRequest, RangeResponse> = {
  path: '/etcdserverpb.KV/Range',
  requestSerialize({ key, end, limit, at, countOnly }) {
    const writer = new WireWriter(64 + key.length + (end?.length ?? 0))
    if (countOnly === true) writer.integer(9, 1)
    if (at !== undefined) writer.integer(4, at)
    if (limit !== undefined) writer.integer(3, limit)
    if (end !== undefined) writer.bytes(2, toKey(end))
    writer.bytes(1, toKey(key))
    return writer.finish()
  },
  responseDeserialize(bytes) {
    const answer = { revision: 0, entries: [] as Entry[], more: false, count: 0 }
    const reader = new WireReader(bytes)
    for (let field = reader.next(); field !== 0; field = reader.next()) {
      if (field === 1) answer.revision = readHeader(reader.message())
      else if (field === 2) answer.entries.push(readEntry(reader.message()))
      else if (field === 3) answer.more = reader.flag()
      else if (field === 4) answer.count = requireSafeInteger(reader.integer())
    }
    return answer
  },
}

/** The Txn method of etcd. Applies the operations if all comparisons are true. Otherwise, reads the compared keys. */
export const commitMethod: UnaryMethod<Transaction, CommitResult> = {
  path: '/etcdserverpb.KV/Txn',
  requestSerialize({ compare, operations }) {
    let size = 64
    for (const { key } of compare) size += 2 * key.length + 48
    for (const operation of operations) size += operation.key.length + (operation.type === 'put' ? operation.value.length : 0) + 48
    const writer = new WireWriter(size)
    for (let i = compare.length; i-- > 0;) {
      const operation = writer.mark()
      const read = writer.mark()
      writer.bytes(1, toKey(compare[i]!.key))
      writer.close(1, read)
      writer.close(3, operation)
    }
    for (let i = operations.length; i-- > 0;) writeOperation(writer, operations[i]!)
    for (let i = compare.length; i-- > 0;) {
      const { key, modRevision } = compare[i]!
      const mark = writer.mark()
      writer.integer(6, modRevision)
      writer.bytes(3, toKey(key))
      writer.integer(2, modRevisionTarget)
      writer.close(1, mark)
    }
    return writer.finish()
  },
  responseDeserialize(bytes) {
    let revision = 0
    let committed = false
    const current: (Entry | undefined)[] = []
    const reader = new WireReader(bytes)
    for (let field = reader.next(); field !== 0; field = reader.next()) {
      if (field === 1) revision = readHeader(reader.message())
      else if (field === 2) committed = reader.flag()
      else if (field === 3 && !committed) current.push(readFirst(reader.message()))
    }
    return committed ? { committed, revision } : { committed, revision, current }
  },
}

const modRevisionTarget = 2

function writeOperation(writer: WireWriter, operation: Operation): void {
  const mark = writer.mark()
  if (operation.type === 'put') {
    if (operation.lease) writer.integer(3, operation.lease)
    writer.bytes(2, operation.value)
  }
  writer.bytes(1, toKey(operation.key))
  writer.close(operation.type === 'put' ? 2 : 3, mark)
  writer.close(2, mark)
}

/** Reads the current revision of the store from the header of a response. */
export function readHeader(reader: WireReader): Revision {
  let revision = 0
  for (let field = reader.next(); field !== 0; field = reader.next()) if (field === 3) revision = requireSafeInteger(reader.integer())
  return revision
}

/** Reads an entry. Copies its value, so that the value does not keep the whole response in memory. */
export function readEntry(reader: WireReader): Entry {
  let key = ''
  let value = noBytes
  let createRevision = 0
  let modRevision = 0
  let lease = 0
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 1) key = reader.text()
    else if (field === 2) createRevision = requireSafeInteger(reader.integer())
    else if (field === 3) modRevision = requireSafeInteger(reader.integer())
    else if (field === 5) value = Buffer.from(reader.bytes())
    else if (field === 6) lease = toLeaseId(reader.integer())
  }
  return { key, value, createRevision, modRevision, lease }
}

const noBytes = Buffer.alloc(0)

/** Returns the first entry of a Range response within a transaction's response. */
function readFirst(operation: WireReader): Entry | undefined {
  for (let field = operation.next(); field !== 0; field = operation.next()) {
    if (field !== 1) continue
    const range = operation.message()
    for (let kvField = range.next(); kvField !== 0; kvField = range.next()) if (kvField === 2) return readEntry(range.message())
  }
  return undefined
}
