import type { KubeObject } from '@keelson/apimachinery'
import { hasSnapshots } from './backend.ts'
import type { Entry, KeyRange, Revision } from './backend.ts'
import type { ObjectAccess } from './object-access.ts'
import type { ObjectSnapshots, Storage, StoredObject } from './storage.ts'
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
        return (
          snapshot && {
            scan: (range: KeyRange) => openEach(access, snapshot.scan(range)),
            count: (range: KeyRange) => snapshot.count(range),
          }
        )
      } catch (error) {
        throw translateBackendError(error, prefix)
      }
    },
  }
}

export function hasObjectSnapshots<T extends KubeObject>(storage: Storage<T>): storage is Storage<T> & ObjectSnapshots<T> {
  return 'snapshotAt' in storage
}

function* openEach<T extends KubeObject>(access: ObjectAccess<T>, entries: Iterable<Entry>): Generator<StoredObject<T>, undefined> {
  for (const entry of entries) yield access.open(entry)
}
