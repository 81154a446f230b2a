import type { KubeObject } from '@keelson/apimachinery'
import { keyNotFound } from './errors.ts'
import type { LeasePool } from './lease-pool.ts'
import { checkPreconditions } from './preconditions.ts'
import type { StoredObject, TryUpdate, UpdateOptions, UpdateOutput } from './storage.ts'
import { readState, stateOfEntry, untilCommitted } from './until-committed.ts'
import type { ObjectState, ObjectWrite } from './until-committed.ts'

export interface GuaranteedUpdate<T extends KubeObject> extends ObjectWrite<T> {
  readonly leases: LeasePool
  readonly tryUpdate: TryUpdate<T>
  readonly options: UpdateOptions<T>
}

/** Reads the object, lets the caller compute the new one, and writes it if nobody wrote in between. */
export function guaranteedUpdate<T extends KubeObject>(update: GuaranteedUpdate<T>): Promise<StoredObject<T>> {
  return untilCommitted<T, GuaranteedUpdate<T>, UpdateOutput<T> | undefined>(update, { prepare: computeOutput, commit: writeOutput })
}

function computeOutput<T extends KubeObject>({ tryUpdate, options }: GuaranteedUpdate<T>, state: ObjectState<T>): ReturnType<TryUpdate<T>> {
  const { key, stored } = state
  checkPreconditions(key, stored?.object(), options.preconditions)
  return tryUpdate(options.sharesCurrent === true ? (stored?.object() as T | undefined) : stored?.copy(), stored)
}

async function writeOutput<T extends KubeObject>(
  update: GuaranteedUpdate<T>,
  state: ObjectState<T>,
  output: UpdateOutput<T> | undefined,
): Promise<StoredObject<T> | ObjectState<T>> {
  const { access } = update
  const { key } = state
  const bytes = output && access.codec.encode(output.object, key)
  if (!state.isCurrent && (bytes === undefined || hasSameBody(update, state, bytes))) {
    // On a suggestion nothing would be written: only the store can confirm that.
    const current = await readState(update, key)
    if (current.revision !== state.revision) return current
    state = current
  }
  if (output === undefined || bytes === undefined) {
    if (state.stored === undefined) throw keyNotFound(key)
    return state.stored
  }
  const compared = state.entry && access.compare(state.entry, bytes)
  const comparison = compared instanceof Promise ? await compared : compared
  // A stale value is written even if its object stays the same.
  if (state.stored && comparison === 'same') return state.stored

  const lease = output.ttlSeconds ? await update.leases.lease(key, output.ttlSeconds) : 0
  const result = await access.put(key, bytes, lease, state.revision)
  return result.committed ? access.codec.open(key, bytes, result.revision) : stateOfEntry(update, key, result.current[0])
}

function hasSameBody<T extends KubeObject>(
  { access }: GuaranteedUpdate<T>,
  { key, stored, revision }: ObjectState<T>,
  bytes: Uint8Array,
): boolean {
  return stored !== undefined && Buffer.compare(access.codec.open(key, bytes, revision).body, stored.body) === 0
}
