import type { Revision } from '@keelson/storagebackend'
import type { Seen, Tag } from './history.ts'

/** State of one key at one moment. A revision of -1 is unknown, because the write was never acknowledged. */
export interface KeyState {
  /** Tag of the key's value. Undefined if the key does not exist. */
  readonly tag: Tag | undefined
  readonly mod: Revision
  readonly create: Revision
  /** Highest revision that the store has certainly reached. Later writes have a higher revision. */
  readonly floor: Revision
}

/** The part of a call that concerns one key. `revision` is undefined if the call was never acknowledged. */
export type KeyStep =
  | { readonly type: 'put'; readonly tag: Tag; readonly compare: Revision | undefined; readonly revision: Revision | undefined }
  | { readonly type: 'delete'; readonly compare: Revision | undefined; readonly revision: Revision | undefined }
  /** The transaction compares this key and writes other keys. */
  | { readonly type: 'check'; readonly compare: Revision; readonly revision: Revision | undefined }
  | { readonly type: 'read'; readonly entry: Seen | undefined; readonly revision: Revision }

const unknown = -1

export function createInitialState(start: Revision): KeyState {
  return { tag: undefined, mod: 0, create: 0, floor: start }
}

/** Returns the state of a key after a step. Returns undefined if the outcome of the step is impossible in the state before. */
export function applyStep(before: KeyState, step: KeyStep): KeyState | undefined {
  if (step.type === 'read') return read(before, step.entry, step.revision)
  const state = compare(before, step.compare)
  if (!state) return undefined
  const { revision } = step
  if (step.type === 'check') return moveToSeen(state, revision)
  if (step.type === 'put') {
    if (revision === undefined)
      return { tag: step.tag, mod: unknown, create: state.tag === undefined ? unknown : state.create, floor: state.floor }
    if (revision <= state.floor) return undefined
    return { tag: step.tag, mod: revision, create: state.tag === undefined ? revision : state.create, floor: revision }
  }
  // Deleting an absent key is not a write.
  if (state.tag === undefined) return moveToSeen(state, revision)
  if (revision === undefined) return { tag: undefined, mod: 0, create: 0, floor: state.floor }
  return revision <= state.floor ? undefined : { tag: undefined, mod: 0, create: 0, floor: revision }
}

export function formatStateKey(state: KeyState): string {
  return `${state.tag ?? ''}/${state.mod}/${state.create}/${state.floor}`
}

function compare(state: KeyState, expectedRevision: Revision | undefined): KeyState | undefined {
  if (expectedRevision === undefined || state.mod === expectedRevision) return state
  // The successful compare shows the revision of the unacknowledged write.
  if (state.mod === unknown && expectedRevision > state.floor)
    return { ...state, mod: expectedRevision, create: state.create === unknown ? expectedRevision : state.create, floor: expectedRevision }
  return undefined
}

function moveToSeen(state: KeyState, revision: Revision | undefined): KeyState | undefined {
  if (revision === undefined || revision === state.floor) return state
  return revision < state.floor ? undefined : { ...state, floor: revision }
}

function read(state: KeyState, entry: Seen | undefined, revision: Revision): KeyState | undefined {
  if (!entry) return state.tag === undefined ? moveToSeen(state, revision) : undefined
  const { tag, modRevision, createRevision } = entry
  if (tag !== state.tag || modRevision > revision) return undefined
  if (state.mod !== modRevision && !(state.mod === unknown && modRevision > state.floor)) return undefined
  if (state.create !== createRevision && !(state.create === unknown && createRevision <= modRevision)) return undefined
  return moveToSeen({ tag, mod: modRevision, create: createRevision, floor: Math.max(state.floor, modRevision) }, revision)
}
