import { listedState, parseResourceVersion } from '@keelson/storagebackend'
import type { Revision } from '@keelson/storagebackend'

/** A list request, reduced to what decides who answers it. */
export interface ListQuestion {
  readonly resourceVersion: string
  readonly match: 'Exact' | 'NotOlderThan' | undefined
  readonly limit: number
  /** The decoded continue token; "invalid" when it cannot be read. A negative revision continues at the latest state. */
  readonly token: { readonly revision: Revision; readonly startKey: string } | 'invalid' | undefined
  readonly recursive: boolean
}

/** The facts about the cache that decide. */
export interface CacheView {
  /** The newest revision the cache knows. */
  readonly revision: Revision
  /** Whether the state at a past revision is held and may still be given out. */
  holds(revision: Revision): boolean
}

export type ReadRoute =
  /** The store answers, refusals included. */
  | { readonly type: 'store' }
  /** The cache as it is, once it has reached `revision`; 0 takes any age. `limit` 0 is none. */
  | { readonly type: 'notOlderThan'; readonly revision: Revision; readonly limit: number }
  /** The cache, once it has reached the store's revision of now. */
  | { readonly type: 'consistent'; readonly startKey: string | undefined; readonly limit: number }
  /** The state at one revision; a future one is waited for. */
  | { readonly type: 'exact'; readonly revision: Revision; readonly startKey: string | undefined; readonly limit: number }

const store: ReadRoute = { type: 'store' }

/**
 * Decides who answers a list; `listedState` decides which state it means. The store answers, and words the refusal of, everything that the cache
 * cannot answer: unreadable versions and tokens, combinations that are refused, exact reads of one key or of a state that is not held.
 */
export function routeList(question: ListQuestion, cache: CacheView): ReadRoute {
  const { resourceVersion, match, token, recursive } = question
  const revision = parseResourceVersion(resourceVersion)
  if (revision === undefined || token === 'invalid') return store
  if (match !== undefined && (token !== undefined || resourceVersion === '' || !matches.has(match))) return store
  if (match === 'Exact' && revision === 0) return store
  if (token !== undefined && (revision > 0 || !recursive)) return store

  const limit = Math.max(0, question.limit)
  const state = listedState({ resourceVersion, resourceVersionMatch: match, limit, revision, token })
  switch (state.type) {
    case 'latest':
      return { type: 'consistent', startKey: state.startKey, limit: resourceVersion === '0' ? 0 : limit }
    case 'notOlderThan':
      return { type: 'notOlderThan', revision, limit: revision === 0 ? 0 : limit }
    case 'exact': {
      const isHeld = state.revision > cache.revision || cache.holds(state.revision)
      return recursive && isHeld ? { ...state, limit: resourceVersion === '0' ? 0 : limit } : store
    }
  }
}

const matches: ReadonlySet<string> = new Set(['Exact', 'NotOlderThan'])
