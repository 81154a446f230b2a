import type { KubeObject } from '@keelson/apimachinery'
import type { Entry, Revision } from './backend.ts'
import { invalidObject, keyNotFound } from './errors.ts'
import type { ObjectAccess } from './object-access.ts'
import { isUnreadable } from './unreadable-objects.ts'

/**
 * Deletes a value that cannot be decoded or decrypted: unchecked, without its finalizers, and without notice to its dependents. Throws
 * `InvalidObject` if the value can be read, also if it was written just now. Resolves to the deletion's revision.
 */
export async function deleteUnreadable<T extends KubeObject>(
  access: ObjectAccess<T>,
  key: string,
  signal: AbortSignal | undefined,
): Promise<Revision> {
  for (;;) {
    signal?.throwIfAborted()
    const { entry } = await access.readStored(key, signal ? { signal } : {})
    if (!entry) throw keyNotFound(key)
    if (await isReadable(access, entry)) throw invalidObject(key, 'the stored object can be read')
    const result = await access.deleteStored(key, entry.modRevision)
    if (result.committed) return result.revision
  }
}

async function isReadable<T extends KubeObject>(access: ObjectAccess<T>, entry: Entry): Promise<boolean> {
  try {
    const wait = access.prepare(entry)
    if (wait) await wait
    access.open(entry)
    return true
  } catch (error) {
    if (isUnreadable(error)) return false
    throw error
  }
}
