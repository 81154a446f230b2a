import type { KubeObject } from '@keelson/apimachinery'
import type { Entry, Revision } from './backend.ts'
import { keyNotFound } from './errors.ts'
import type { ObjectAccess } from './object-access.ts'
import type { StoredObject } from './storage.ts'

/** The state of an object that a write starts from. */
export interface ObjectState<T extends KubeObject> {
  /** Undefined if the object is absent. */
  readonly stored: StoredObject<T> | undefined
  /** 0 if the object is absent. */
  readonly revision: Revision
  /** The stored entry; undefined for a suggestion, whose entry is unknown. */
  readonly entry: Entry | undefined
  /** The store gave it during this operation, so an error on it is final. False for a suggestion. */
  readonly isCurrent: boolean
}

export function stateOfEntry<T extends KubeObject>(
  access: ObjectAccess<T>,
  key: string,
  entry: Entry | undefined,
  ignoreNotFound: boolean,
): ObjectState<T> {
  if (entry) return { stored: access.open(entry), revision: entry.modRevision, entry, isCurrent: true }
  if (!ignoreNotFound) throw keyNotFound(key)
  return { stored: undefined, revision: 0, entry: undefined, isCurrent: true }
}

export function stateOfSuggestion<T extends KubeObject>(suggestion: StoredObject<T>): ObjectState<T> {
  return { stored: suggestion, revision: suggestion.revision, entry: undefined, isCurrent: false }
}
