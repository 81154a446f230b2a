import type { Revision } from '@keelson/storagebackend'
import type { ChangeLog } from './change-log.ts'
import type { CallRecord } from './history.ts'
import type { KeyOperation } from './linearizable.ts'
import type { KeyStep } from './key-model.ts'

/** Groups the calls of a history by key. Excludes lists and reads of past revisions, because `checkSnapshotReads` checks their results. */
export function groupOperationsByKey(calls: readonly CallRecord[], log: ChangeLog): Map<string, KeyOperation[]> {
  const byKey = new Map<string, KeyOperation[]>()
  const add = (key: string, { invoked, returned }: CallRecord, certain: boolean, step: KeyStep): void => {
    const operations = byKey.get(key)
    const operation = { invoked, returned, certain, step }
    if (operations) operations.push(operation)
    else byKey.set(key, [operation])
  }
  for (const record of calls) {
    const { call, outcome } = record
    if (outcome.type === 'failed') continue
    if (call.type === 'get' && call.at === undefined && outcome.type === 'entry')
      add(call.key, record, true, { type: 'read', entry: outcome.entry, revision: outcome.revision })
    if (call.type !== 'commit') continue
    if (outcome.type === 'lost') {
      for (const [i, { key }] of call.compare.entries())
        add(key, record, true, { type: 'read', entry: outcome.current[i], revision: outcome.revision })
      continue
    }
    // Unacknowledged, but seen by a client.
    const revision = outcome.type === 'committed' ? outcome.revision : log.findRevision(record)
    const compares = new Map<string, Revision>(call.compare.map(({ key, modRevision }) => [key, modRevision]))
    const certain = revision !== undefined
    for (const operation of call.operations) {
      const compare = compares.get(operation.key)
      compares.delete(operation.key)
      if (operation.type === 'put') add(operation.key, record, certain, { type: 'put', tag: operation.tag, compare, revision })
      else add(operation.key, record, certain, { type: 'delete', compare, revision })
    }
    for (const [key, compare] of compares) add(key, record, certain, { type: 'check', compare, revision })
  }
  for (const expiry of log.expiries) {
    add(expiry.key, { ...noCall, invoked: 0, returned: Infinity }, true, { type: 'delete', compare: undefined, revision: expiry.revision })
  }
  return byKey
}

const noCall: Pick<CallRecord, 'call' | 'outcome'> = {
  call: { type: 'commit', compare: [], operations: [] },
  outcome: { type: 'unknown' },
}
