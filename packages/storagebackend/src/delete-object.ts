import type { KubeObject } from '@keelson/apimachinery'
import { checkPreconditions } from './preconditions.ts'
import type { DeleteObjectOptions, StoredObject } from './storage.ts'
import { stateOfEntry, untilCommitted } from './until-committed.ts'
import type { ObjectState, ObjectWrite } from './until-committed.ts'

export interface ObjectDeletion<T extends KubeObject> extends ObjectWrite<T> {
  readonly options: DeleteObjectOptions<T>
}

/** Deletes exactly the version that passed the checks. Resolves to it, under the deletion's revision. */
export function deleteObject<T extends KubeObject>(deletion: ObjectDeletion<T>): Promise<StoredObject<T>> {
  return untilCommitted<T, ObjectDeletion<T>, void>(deletion, { prepare: check, commit: remove })
}

function check<T extends KubeObject>({ options }: ObjectDeletion<T>, { key, stored }: ObjectState<T>): void | Promise<void> {
  if (options.preconditions) checkPreconditions(key, stored!.object(), options.preconditions)
  return options.validate?.(stored!.object())
}

async function remove<T extends KubeObject>(deletion: ObjectDeletion<T>, state: ObjectState<T>): Promise<StoredObject<T> | ObjectState<T>> {
  const { access } = deletion
  const { key, stored, entry } = state
  const result = await access.delete(key, state.revision)
  if (!result.committed) return stateOfEntry(deletion, key, result.current[0])
  if (entry && !access.transformer) return access.openDeleted(entry, result.revision)
  // A suggestion has no entry, and plain bytes are not kept. It was current, so its object encoded again is the deleted value.
  return access.codec.open(key, access.codec.encode(stored!.copy()), result.revision)
}
