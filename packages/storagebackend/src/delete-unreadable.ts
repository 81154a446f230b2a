import type { KubeObject } from '@keelson/apimachinery'
import type { Entry, Revision } from './backend.ts'
import { invalidObject, keyNotFound } from './errors.ts'
import type { ObjectAccess } from './object-access.ts'
import { isUnreadable } from './unreadable-objects.ts'

/**
 * Deletes what cannot be turned into an object any more, and nothing else: nobody could check it, its finalizers are skipped, and what
 * depends on it is not told. A value that can be read is refused, also when it was written just now. Resolves to the deletion's revision.
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
    if (await canBeRead(access, entry)) throw invalidObject(key, 'the stored object can be read')
    const result = await access.deleteStored(key, entry.modRevision)
    if (result.committed) return result.revision
  }
}

async function canBeRead<T extends KubeObject>(access: ObjectAccess<T>, entry: Entry): Promise<boolean> {
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
