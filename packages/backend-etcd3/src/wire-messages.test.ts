import { createRequire } from 'node:module'
import { WireReader, WireWriter } from '@keelson/apimachinery/protobuf'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Entry, Operation } from '@keelson/storagebackend'
import { commitMethod, rangeMethod } from './kv-methods.ts'
import { readWatchResponse } from './watch-response.ts'
import { foreignLease } from './wire-values.ts'

interface Method {
  readonly path: string
  readonly requestDeserialize: (bytes: Buffer) => Record<string, unknown>
  readonly responseSerialize: (answer: object) => Buffer
}

// Encoders of the same messages, created from etcd3's own definitions.
const etcd3 = createRequire(import.meta.url).resolve('etcd3')
const { loadSync } = createRequire(etcd3)('@grpc/proto-loader') as {
  loadSync(file: string, options: object): Record<string, Record<string, Method>>
}
const definitions = loadSync(new URL('../proto/rpc.proto', `file://${etcd3}`).pathname, {
  keepCase: true,
  longs: Number,
  enums: String,
  oneofs: true,
})
const { Range, Txn } = definitions['etcdserverpb.KV']!
const { Watch } = definitions['etcdserverpb.Watch']!

const key = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 })
const value = fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes))
const revision = fc.oneof(fc.nat(300), fc.maxSafeNat())
const operation: fc.Arbitrary<Operation> = fc.oneof(
  fc.record({ type: fc.constant('delete' as const), key }),
  fc.record({ type: fc.constant('put' as const), key, value, lease: fc.oneof(fc.constant(0), fc.maxSafeNat()) }),
)
const entry: fc.Arbitrary<Entry> = fc.record({ key, value, createRevision: revision, modRevision: revision, lease: revision })
const header = { cluster_id: 14841639068965178418n.toString(), member_id: 10276657743932975437n.toString(), raft_term: 2 }

function encodeKeyValue({ key: name, value: bytes, createRevision, modRevision, lease }: Entry): object {
  return { key: Buffer.from(name), value: bytes, create_revision: createRevision, mod_revision: modRevision, version: 3, lease }
}

describe('commit messages', () => {
  it('encodes requests as etcd expects them', () => {
    expect(commitMethod.path).toBe(Txn!.path)
    const compares = fc.array(fc.record({ key, modRevision: revision }), { maxLength: 3 })
    fc.assert(
      fc.property(compares, fc.array(operation, { maxLength: 4 }), (compare, operations) => {
        const message = Txn!.requestDeserialize(commitMethod.requestSerialize({ compare, operations }))
        const keys = compare.map((each) => Buffer.from(each.key))
        const list = <T>(name: string, items: readonly T[]): object => (items.length > 0 ? { [name]: items } : {})
        expect(message).toEqual({
          ...list(
            'compare',
            compare.map(({ modRevision }, i) => ({ target: 'Mod', key: keys[i], mod_revision: modRevision, target_union: 'mod_revision' })),
          ),
          ...list(
            'success',
            operations.map((each) =>
              each.type === 'delete'
                ? { request: 'request_delete_range', request_delete_range: { key: Buffer.from(each.key) } }
                : {
                    request: 'request_put',
                    request_put: { key: Buffer.from(each.key), value: each.value, ...(each.lease ? { lease: each.lease } : {}) },
                  },
            ),
          ),
          ...list(
            'failure',
            keys.map((one) => ({ request: 'request_range', request_range: { key: one } })),
          ),
        })
      }),
    )
  })

  it('decodes responses', () => {
    fc.assert(
      fc.property(revision, fc.array(fc.option(entry, { nil: undefined }), { maxLength: 3 }), (at, current) => {
        const ranges = current.map((one) => ({ response_range: { header: {}, kvs: one ? [encodeKeyValue(one)] : [], count: one ? 1 : 0 } }))
        const conflictMessage = Txn!.responseSerialize({ header: { ...header, revision: at }, succeeded: false, responses: ranges })
        expect(commitMethod.responseDeserialize(conflictMessage)).toEqual({ committed: false, revision: at, current })
        const puts = current.map(() => ({ response_put: { header: { revision: at } } }))
        const successMessage = Txn!.responseSerialize({ header: { ...header, revision: at }, succeeded: true, responses: puts })
        expect(commitMethod.responseDeserialize(successMessage)).toEqual({ committed: true, revision: at })
      }),
    )
  })
})

describe('read messages', () => {
  it('encodes requests as etcd expects them', () => {
    expect(rangeMethod.path).toBe(Range!.path)
    const bytes = rangeMethod.requestSerialize({ key: 'a', end: 'ключ', limit: 500, at: 2 ** 40, countOnly: true })
    const expected = { key: Buffer.from('a'), range_end: Buffer.from('ключ'), limit: 500, revision: 2 ** 40, count_only: true }
    expect(Range!.requestDeserialize(bytes)).toEqual(expected)
    expect(Range!.requestDeserialize(rangeMethod.requestSerialize({ key: '' }))).toEqual({ key: Buffer.from([0]) })
  })

  it('decodes responses', () => {
    fc.assert(
      fc.property(revision, fc.array(entry, { maxLength: 4 }), fc.boolean(), revision, (at, entries, more, count) => {
        const bytes = Range!.responseSerialize({ header: { ...header, revision: at }, kvs: entries.map(encodeKeyValue), more, count })
        const answer = rangeMethod.responseDeserialize(bytes)
        // Values must not refer to the bytes of the response.
        bytes.fill(0xee)
        expect(answer).toEqual({ revision: at, entries, more, count })
      }),
    )
  })

  it('replaces unsafe lease ids and rejects unsafe revisions', () => {
    const answer = (kv: object): Buffer => Range!.responseSerialize({ header: { revision: 1 }, kvs: [{ key: Buffer.from('a'), ...kv }] })
    const lease = '7587822882194139412'
    expect(rangeMethod.responseDeserialize(answer({ lease })).entries[0]?.lease).toBe(foreignLease)
    expect(() => rangeMethod.responseDeserialize(answer({ mod_revision: '9007199254740993' }))).toThrow(/safe range/)
  })
})

describe('watch messages', () => {
  it('decodes events', () => {
    const event = fc.record({ isDelete: fc.boolean(), entry, previous: fc.option(entry, { nil: undefined }) })
    fc.assert(
      fc.property(revision, fc.array(event, { maxLength: 4 }), fc.boolean(), (at, events, fragment) => {
        const bytes = Watch!.responseSerialize({
          header: { ...header, revision: at },
          fragment,
          events: events.map(({ isDelete, entry: kv, previous }) => ({
            type: isDelete ? 'Delete' : 'Put',
            kv: encodeKeyValue(kv),
            ...(previous && { prev_kv: encodeKeyValue(previous) }),
          })),
        })
        expect(readWatchResponse(bytes)).toMatchObject({ revision: at, fragment, events, watchId: 0, created: false, canceled: false })
      }),
    )
  })

  it('decodes creation, cancellation and progress', () => {
    const read = (message: object): object => readWatchResponse(Watch!.responseSerialize({ header: { revision: 5 }, ...message }))
    expect(read({ watch_id: '-1' })).toMatchObject({ revision: 5, watchId: -1, events: [] })
    expect(read({ watch_id: 7, created: true })).toMatchObject({ watchId: 7, created: true })
    expect(read({ canceled: true, compact_revision: 4, cancel_reason: 'why' })).toMatchObject({
      canceled: true,
      compactRevision: 4,
      cancelReason: 'why',
    })
  })
})

describe('malformed messages', () => {
  it('rejects a truncated message or decodes it as a shorter one', () => {
    const entry = { key: 'name', value: Buffer.alloc(200), createRevision: 7, modRevision: 2 ** 50, lease: 9 }
    const bytes = Range!.responseSerialize({ header: { revision: 300 }, kvs: [encodeKeyValue(entry)], count: 1 })
    for (let length = 0; length < bytes.length; length++) {
      const truncated = bytes.subarray(0, length)
      try {
        expect(rangeMethod.responseDeserialize(truncated).entries.length).toBeLessThanOrEqual(1)
      } catch (error) {
        expect((error as Error).message).toMatch(/truncated/)
      }
    }
  })

  it('skips unknown fields', () => {
    const writer = new WireWriter(1)
    writer.bytes(99, Buffer.from('later'))
    writer.integer(98, 2 ** 52)
    writer.integer(4, 3)
    const withUnknown = Buffer.concat([Buffer.from([((97 << 3) % 128) | 0x80 | 5, (97 << 3) >> 7, 1, 2, 3, 4]), writer.finish()])
    expect(rangeMethod.responseDeserialize(withUnknown)).toMatchObject({ count: 3 })
  })

  it('rejects wrong wire types and unterminated integers', () => {
    expect(() => rangeMethod.responseDeserialize(Buffer.from([(4 << 3) | 2, 0]))).toThrow(/wire type/)
    const unterminated = new WireReader(Buffer.concat([Buffer.from([4 << 3]), Buffer.alloc(12, 0xff)]))
    expect(unterminated.next()).toBe(4)
    expect(() => unterminated.next() && unterminated.next()).toThrow()
    expect(() => new WireWriter(8).integer(1, -1)).toThrow()
  })
})
