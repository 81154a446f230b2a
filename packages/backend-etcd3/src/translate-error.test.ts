import { describe, expect, it } from 'vitest'
import { readCancellation, readFailure, toBackendError } from './translate-error.ts'

const createGrpcError = (code: number, details: string): Error => Object.assign(new Error(`${code}: ${details}`), { code, details })

describe('errors of calls', () => {
  it.each([
    [14, 'No connection established. Last error: connect ECONNREFUSED 127.0.0.1:2379', 'none', true, 'UnavailableError'],
    [14, 'Name resolution failed for target dns:nowhere', 'none', true, 'UnavailableError'],
    [4, 'Deadline exceeded after 2.0s,Waiting for LB pick', 'none', true, 'UnavailableError'],
    [14, 'Connection dropped', 'unknown', true, 'UnavailableError'],
    [14, 'read ECONNRESET', 'unknown', true, 'UnavailableError'],
    [4, 'Deadline exceeded after 2.0s,remote_addr=127.0.0.1:2379', 'unknown', true, 'UnavailableError'],
    [13, 'Received RST_STREAM with code 2', 'unknown', true, 'UnavailableError'],
    [14, 'etcdserver: request timed out', 'unknown', true, 'UnavailableError'],
    [14, 'etcdserver: leader changed', 'unknown', true, 'UnavailableError'],
    [8, 'etcdserver: too many requests', 'none', true, 'UnavailableError'],
    [8, 'etcdserver: mvcc: database space exceeded', 'none', false, 'ReadOnlyError'],
    [11, 'etcdserver: mvcc: required revision has been compacted', 'none', false, 'CompactedError'],
    [11, 'etcdserver: mvcc: required revision is a future revision', 'none', false, 'FutureRevisionError'],
    [5, 'etcdserver: requested lease not found', 'none', false, 'LeaseNotFoundError'],
    [3, 'etcdserver: request is too large', 'none', false, 'Error'],
    [7, 'etcdserver: permission denied', 'none', false, 'Error'],
    [15, 'etcdserver: corrupt cluster', 'none', false, 'Error'],
  ] as const)('%i %s', (code, details, outcome, transient, name) => {
    const failure = readFailure(createGrpcError(code, details))
    expect([failure.outcome, failure.transient]).toEqual([outcome, transient])
    const error = toBackendError(failure, { at: 5, current: 3, compacted: 7, lease: 1 })
    expect(error.name).toBe(name)
    expect(error.message).not.toBe('')
  })

  it('does not treat other errors as failed calls', () => {
    expect(readFailure(new TypeError('a bug'))).toMatchObject({ outcome: 'unknown', transient: false, kind: 'other' })
  })

  it('resumes a watch that etcd ended if another etcd member can continue it', () => {
    expect(readCancellation('etcdserver: no leader').transient).toBe(true)
    expect(readCancellation('etcdserver: permission denied')).toMatchObject({ transient: false, message: 'etcdserver: permission denied' })
    expect(readCancellation('etcdserver: mvcc: required revision has been compacted').kind).toBe('compacted')
  })
})
