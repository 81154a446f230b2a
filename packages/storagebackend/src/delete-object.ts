import type { KubeObject } from '@keelson/apimachinery'
import type { ObjectAccess } from './object-access.ts'
import { stateOfEntry, stateOfSuggestion, type ObjectState } from './object-state.ts'
import { checkPreconditions } from './preconditions.ts'
import type { DeleteObjectOptions, StoredObject } from './storage.ts'

/** Deletes exactly the version that the checks passed on. A check that fails on a stale suggestion is made again on what is there. */
export async function deleteObject<T extends KubeObject>(
  access: ObjectAccess<T>,
  key: string,
  options: DeleteObjectOptions<T>,
): Promise<StoredObject<T>> {
  const readCurrent = async (): Promise<ObjectState<T>> => stateOfEntry(access, key, (await access.read(key, options)).entry, false)

  let state = options.suggestion ? stateOfSuggestion(options.suggestion) : await readCurrent()
  for (;;) {
    options.signal?.throwIfAborted()
    const stored = state.stored!
    try {
      if (options.preconditions) checkPreconditions(key, stored.object(), options.preconditions)
      await options.validate?.(stored.object())
    } catch (error) {
      if (state.isCurrent) throw error
      const tried = state.revision
      state = await readCurrent()
      if (tried === state.revision) throw error
      continue
    }
    const result = await access.delete(key, state.revision)
    if (!result.committed) {
      state = stateOfEntry(access, key, result.current[0], false)
      continue
    }
    if (state.entry && !access.transformer) return access.openDeleted(state.entry, result.revision)
    // A suggestion has no entry, and plain bytes are not kept; being right, its object encoded again is what was deleted.
    return access.codec.open(key, access.codec.encode(stored.copy()), result.revision)
  }
}
