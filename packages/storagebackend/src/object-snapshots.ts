import type { KubeObject } from '@keelson/apimachinery'
import { hasSnapshots } from './backend.ts'
import type { BackendSnapshot, Entry, Revision } from './backend.ts'
import type { ObjectAccess } from './object-access.ts'
import type { ObjectSnapshot, ObjectSnapshots, Storage, StoredObject } from './storage.ts'
import { translateBackendError } from './translate-error.ts'

/**
 * The `ObjectSnapshots` of a driver with snapshots. None with a transformer: that may wait, and reading a snapshot never does.
 */
export function objectSnapshots<T extends KubeObject>(access: ObjectAccess<T>, prefix: string): ObjectSnapshots<T> | undefined {
  const { backend } = access
  if (!hasSnapshots(backend) || access.transformer) return undefined
  return {
    snapshotAt(revision: Revision) {
      try {
        const snapshot = backend.snapshotAt(revision)
        return snapshot && openSnapshot(access, snapshot.within(prefix))
      } catch (error) {
        throw translateBackendError(error, prefix)
      }
    },
  }
}

/** Opens objects as they are read. */
export function openSnapshot<T extends KubeObject>(access: ObjectAccess<T>, snapshot: BackendSnapshot): ObjectSnapshot<T> {
  return {
    get(key) {
      const entry = snapshot.get(key)
      return entry && access.open(entry)
    },
    scan: (range, { keep = true } = {}) => openEach(snapshot.scan(range), (entry) => (keep ? access.open(entry) : access.openOnce(entry))),
    select: (range, predicate) => selectEach(access.selecting(predicate), snapshot.scan(range)),
    count: (range) => snapshot.count(range),
  }
}

export function hasObjectSnapshots<T extends KubeObject>(storage: Storage<T>): storage is Storage<T> & ObjectSnapshots<T> {
  return 'snapshotAt' in storage
}

function* openEach<T extends KubeObject>(
  entries: Iterable<Entry>,
  open: (entry: Entry) => StoredObject<T>,
): Generator<StoredObject<T>, undefined> {
  for (const entry of entries) yield open(entry)
}

/** A walk may pause after so many entries that do not match. */
const skippedBetweenPauses = 32

function* selectEach<T extends KubeObject>(
  select: (entry: Entry) => StoredObject<T> | undefined,
  entries: Iterable<Entry>,
): Generator<StoredObject<T> | undefined, undefined> {
  let skipped = 0
  for (const entry of entries) {
    const object = select(entry)
    if (object === undefined && ++skipped % skippedBetweenPauses !== 0) continue
    yield object
  }
}
