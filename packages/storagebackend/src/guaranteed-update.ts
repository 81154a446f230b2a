import type { KubeObject } from '@keelson/apimachinery'
import { keyNotFound } from './errors.ts'
import type { LeasePool } from './lease-pool.ts'
import type { ObjectAccess } from './object-access.ts'
import { stateOfEntry, stateOfSuggestion, type ObjectState } from './object-state.ts'
import { checkPreconditions } from './preconditions.ts'
import type { StoredObject, TryUpdate, UpdateOptions, UpdateOutput } from './storage.ts'

export interface GuaranteedUpdate<T extends KubeObject> {
  readonly access: ObjectAccess<T>
  readonly leases: LeasePool
  readonly key: string
  readonly tryUpdate: TryUpdate<T>
  readonly options: UpdateOptions<T>
}

/**
 * Read, let the caller change its copy, write if nobody wrote in between, else again. With a suggestion the read is saved; an error
 * on a suggestion that turns out to be stale is not the caller's error, and it is tried again on what is there.
 */
export async function guaranteedUpdate<T extends KubeObject>(update: GuaranteedUpdate<T>): Promise<StoredObject<T>> {
  const { access, key, options } = update
  const ignoreNotFound = options.ignoreNotFound ?? false
  const readCurrent = async (): Promise<ObjectState<T>> =>
    stateOfEntry(access, key, (await access.read(key, options)).entry, ignoreNotFound)

  let state = options.suggestion ? stateOfSuggestion(options.suggestion) : await readCurrent()
  for (;;) {
    options.signal?.throwIfAborted()
    let output: UpdateOutput<T> | undefined
    let input: T | undefined
    try {
      checkPreconditions(key, state.stored?.object(), options.preconditions)
      input = options.sharesCurrent === true ? (state.stored?.object() as T | undefined) : state.stored?.copy()
      output = await update.tryUpdate(input, state.stored)
    } catch (error) {
      if (state.isCurrent) throw error
      const tried = state.revision
      state = await readCurrent()
      if (tried === state.revision) throw error
      continue
    }

    if (output === undefined) {
      const tried = state
      if (!tried.current) state = await readCurrent()
      if (state.revision !== tried.revision) continue
      if (state.stored === undefined) throw keyNotFound(key)
      return state.stored
    }

    const bytes = access.codec.encode(output.object, key)
    // A suggestion says that nothing changes; only the store can say so.
    const confirming = !state.isCurrent && sameBody(access, key, bytes, state)
    if (confirming) state = await readCurrent()
    const compared = state.entry && access.compare(state.entry, bytes)
    const comparison = compared instanceof Promise ? await compared : compared
    if (confirming && comparison !== 'same' && comparison !== 'stale') continue
    // A stale value is written although its object stays the same.
    if (state.stored && comparison === 'same') return state.stored

    const lease = output.ttlSeconds ? await update.leases.lease(update.key, output.ttlSeconds) : 0
    const result = await access.put(key, bytes, lease, state.revision)
    if (result.committed) return access.codec.open(key, bytes, result.revision)
    state = stateOfEntry(access, key, result.current[0], ignoreNotFound)
  }
}

function sameBody<T extends KubeObject>(access: ObjectAccess<T>, key: string, bytes: Uint8Array, state: ObjectState<T>): boolean {
  return state.stored !== undefined && Buffer.compare(access.codec.open(key, bytes, state.revision).body, state.stored.body) === 0
}
