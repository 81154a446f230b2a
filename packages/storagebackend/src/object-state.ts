import type { KubeObject } from '@keelson/apimachinery'
import type { Entry, Revision } from './backend.ts'
import { keyNotFound } from './errors.ts'
import type { ObjectAccess } from './object-access.ts'
import type { StoredObject } from './storage.ts'

/** What a write starts from. */
export interface ObjectState<T extends KubeObject> {
  /** Undefined when the object is absent. */
  readonly stored: StoredObject<T> | undefined
  /** 0 when the object is absent. */
  readonly revision: Revision
  /** As it is in the store; undefined for a suggestion, whose entry is not known. */
  readonly entry: Entry | undefined
  /** Read from the store in this very operation, so that an error on it is final. */
  readonly current: boolean
}

export function stateOfEntry<T extends KubeObject>(
  access: ObjectAccess<T>,
  key: string,
  entry: Entry | undefined,
  ignoreNotFound: boolean,
): ObjectState<T> {
  if (entry) return { stored: access.open(entry), revision: entry.modRevision, entry, current: true }
  if (!ignoreNotFound) throw keyNotFound(key)
  return { stored: undefined, revision: 0, entry: undefined, current: true }
}

export function stateOfSuggestion<T extends KubeObject>(suggestion: StoredObject<T>): ObjectState<T> {
  return { stored: suggestion, revision: suggestion.revision, entry: undefined, current: false }
}
