import type { KubeObject } from '@keelson/apimachinery'
import type { Entry, Revision } from './backend.ts'
import { keyNotFound } from './errors.ts'
import type { ObjectAccess } from './object-access.ts'
import { prepareKey } from './object-key.ts'
import type { StoredObject } from './storage.ts'

/** The state of an object that a write starts from. */
export interface ObjectState<T extends KubeObject> {
  readonly key: string
  /** Undefined if the object is absent. */
  readonly stored: StoredObject<T> | undefined
  /** 0 if the object is absent. */
  readonly revision: Revision
  /** The stored entry; undefined for a suggestion, whose entry is unknown. */
  readonly entry: Entry | undefined
  /** The store gave it during this operation, so an error on it is final. False for a suggestion. */
  readonly isCurrent: boolean
}

export interface ObjectWrite<T extends KubeObject> {
  readonly access: ObjectAccess<T>
  /** The prefix of every key of the resource. */
  readonly prefix: string
  readonly key: string
  /** An absent object is a state. Default: `KeyNotFound`. */
  readonly ignoreNotFound?: boolean
  readonly options: { readonly suggestion?: StoredObject<T>; readonly signal?: AbortSignal }
}

export interface WriteSteps<T extends KubeObject, Write extends ObjectWrite<T>, Prepared> {
  /** Checks the state, and decides on the write. */
  readonly prepare: (write: Write, state: ObjectState<T>) => Prepared | Promise<Prepared>
  /** Resolves to the result; or, after a lost race or on a stale suggestion, to the state for the next round. */
  readonly commit: (write: Write, state: ObjectState<T>, prepared: Prepared) => Promise<StoredObject<T> | ObjectState<T>>
}

/**
 * Prepares and commits a write, again and again until no other write came in between. The first round may start from a suggestion, which saves a
 * read. An error on a stale suggestion is not the caller's: the next round starts from the stored object.
 */
export async function untilCommitted<T extends KubeObject, Write extends ObjectWrite<T>, Prepared>(
  write: Write,
  { prepare, commit }: WriteSteps<T, Write, Prepared>,
): Promise<StoredObject<T>> {
  const { suggestion, signal } = write.options
  const key = prepareKey(write.prefix, write.key, false)
  let state = suggestion ? stateOfSuggestion(key, suggestion) : await readState(write, key)
  for (;;) {
    signal?.throwIfAborted()
    let prepared: Prepared
    try {
      const preparing = prepare(write, state)
      prepared = preparing instanceof Promise ? await preparing : preparing
    } catch (error) {
      if (state.isCurrent) throw error
      const current = await readState(write, key)
      if (current.revision === state.revision) throw error
      state = current
      continue
    }
    const outcome = await commit(write, state, prepared)
    if ('isStoredObject' in outcome) return outcome
    state = outcome
  }
}

/** Reads the stored state. */
export async function readState<T extends KubeObject>(write: ObjectWrite<T>, key: string): Promise<ObjectState<T>> {
  return stateOfEntry(write, key, (await write.access.read(key, write.options)).entry)
}

/** The state that the store gave in answer to a lost race. */
export function stateOfEntry<T extends KubeObject>(write: ObjectWrite<T>, key: string, entry: Entry | undefined): ObjectState<T> {
  if (entry) return { key, stored: write.access.open(entry), revision: entry.modRevision, entry, isCurrent: true }
  if (write.ignoreNotFound !== true) throw keyNotFound(key)
  return { key, stored: undefined, revision: 0, entry: undefined, isCurrent: true }
}

function stateOfSuggestion<T extends KubeObject>(key: string, suggestion: StoredObject<T>): ObjectState<T> {
  return { key, stored: suggestion, revision: suggestion.revision, entry: undefined, isCurrent: false }
}
