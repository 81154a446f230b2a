import { prefixEnd, type BackendSnapshot, type Entry, type Revision, type TreeSnapshot } from '@keelson/storagebackend'

/** The `BackendSnapshot` of a state. */
export function snapshotOf(revision: Revision, state: TreeSnapshot<Entry>): BackendSnapshot {
  return {
    revision,
    get: (key) => state.get(key),
    scan: (range) => state.scan(range),
    count: (range) => state.count(range),
    within: (prefix) => snapshotOf(revision, state.within({ start: prefix, end: prefixEnd(prefix) })),
  }
}
