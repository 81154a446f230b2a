import type { KubeObject } from '@keelson/apimachinery'
import { hasSnapshots } from './backend.ts'
import type { BackendSnapshot, Entry, Revision } from './backend.ts'
import type { ObjectAccess } from './object-access.ts'
import type { ObjectSnapshot, ObjectSnapshots, Storage, StoredObject } from './storage.ts'
import { translateBackendError } from './translate-error.ts'

/**
 * The power to show past states, of a driver that has it. Reading a snapshot never waits, so not where values are transformed, which
 * may have to.
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

/** Objects are opened as they are read. */
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

/** So many are passed by before a walk may pause. */
const passedBetweenPauses = 32

function* selectEach<T extends KubeObject>(
  select: (entry: Entry) => StoredObject<T> | undefined,
  entries: Iterable<Entry>,
): Generator<StoredObject<T> | undefined, undefined> {
  let passed = 0
  for (const entry of entries) {
    const object = select(entry)
    if (object === undefined && ++passed % passedBetweenPauses !== 0) continue
    yield object
  }
}
