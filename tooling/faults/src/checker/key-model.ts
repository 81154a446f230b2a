import type { Revision } from '@keelson/storagebackend'
import type { Seen, Tag } from './history.ts'

/** What one key is at one moment. A revision of -1 is not known: the write that gave it was never answered. */
export interface KeyState {
  /** Undefined: the key is absent. */
  readonly tag: Tag | undefined
  readonly mod: Revision
  readonly create: Revision
  /** The newest revision that the store is known to have reached: later writes are above it. */
  readonly floor: Revision
}

/** One call, as far as it touches the key. `revision` undefined: never answered. */
export type KeyStep =
  | { readonly type: 'put'; readonly tag: Tag; readonly compare: Revision | undefined; readonly revision: Revision | undefined }
  | { readonly type: 'delete'; readonly compare: Revision | undefined; readonly revision: Revision | undefined }
  /** Compared in a transaction that writes other keys. */
  | { readonly type: 'check'; readonly compare: Revision; readonly revision: Revision | undefined }
  | { readonly type: 'read'; readonly entry: Seen | undefined; readonly revision: Revision }

const unknown = -1

export function initialState(start: Revision): KeyState {
  return { tag: undefined, mod: 0, create: 0, floor: start }
}

/** The state after the step; undefined when the step could not have had its outcome here. */
export function applyStep(before: KeyState, step: KeyStep): KeyState | undefined {
  if (step.type === 'read') return read(before, step.entry, step.revision)
  const state = compare(before, step.compare)
  if (!state) return undefined
  const { revision } = step
  if (step.type === 'check') return seen(state, revision)
  if (step.type === 'put') {
    if (revision === undefined)
      return { tag: step.tag, mod: unknown, create: state.tag === undefined ? unknown : state.create, floor: state.floor }
    if (revision <= state.floor) return undefined
    return { tag: step.tag, mod: revision, create: state.tag === undefined ? revision : state.create, floor: revision }
  }
  // A delete of an absent key is no write.
  if (state.tag === undefined) return seen(state, revision)
  if (revision === undefined) return { tag: undefined, mod: 0, create: 0, floor: state.floor }
  return revision <= state.floor ? undefined : { tag: undefined, mod: 0, create: 0, floor: revision }
}

export function stateKey(state: KeyState): string {
  return `${state.tag ?? ''}/${state.mod}/${state.create}/${state.floor}`
}

function compare(state: KeyState, wanted: Revision | undefined): KeyState | undefined {
  if (wanted === undefined || state.mod === wanted) return state
  // The compare tells what the unanswered write's revision was.
  if (state.mod === unknown && wanted > state.floor)
    return { ...state, mod: wanted, create: state.create === unknown ? wanted : state.create, floor: wanted }
  return undefined
}

function seen(state: KeyState, revision: Revision | undefined): KeyState | undefined {
  if (revision === undefined || revision === state.floor) return state
  return revision < state.floor ? undefined : { ...state, floor: revision }
}

function read(state: KeyState, entry: Seen | undefined, revision: Revision): KeyState | undefined {
  if (!entry) return state.tag === undefined ? seen(state, revision) : undefined
  const { tag, modRevision, createRevision } = entry
  if (tag !== state.tag || modRevision > revision) return undefined
  if (state.mod !== modRevision && !(state.mod === unknown && modRevision > state.floor)) return undefined
  if (state.create !== createRevision && !(state.create === unknown && createRevision <= modRevision)) return undefined
  return seen({ tag, mod: modRevision, create: createRevision, floor: Math.max(state.floor, modRevision) }, revision)
}
