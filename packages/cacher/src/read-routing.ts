import { selectListedState, parseResourceVersion } from '@keelson/storagebackend'
import type { Revision } from '@keelson/storagebackend'

/** The parameters of a list that determine whether the cache answers it. */
export interface ListQuestion {
  readonly resourceVersion: string
  readonly match: 'Exact' | 'NotOlderThan' | undefined
  readonly limit: number
  /**
   * The decoded continue token, or "invalid" if it cannot be decoded. A negative revision means that the list continues at the latest
   * state.
   */
  readonly token: { readonly revision: Revision; readonly startKey: string } | 'invalid' | undefined
  readonly recursive: boolean
}

/** The properties of the cache on which the decision depends. */
export interface CacheView {
  /** The newest revision in the cache. */
  readonly revision: Revision
  /** Returns whether the cache has the state at a past revision and may serve it. */
  holds(revision: Revision): boolean
}

/** The decision about a list: where its answer comes from. */
export type ReadRoute =
  /** The store answers, also if it refuses the request. */
  | { readonly type: 'store' }
  /** The cache answers with its newest state, after it has received `revision`. 0 accepts any state. A `limit` of 0 means unlimited. */
  | { readonly type: 'notOlderThan'; readonly revision: Revision; readonly limit: number }
  /** The cache answers after it has received the store's current revision. */
  | { readonly type: 'consistent'; readonly startKey: string | undefined; readonly limit: number }
  /** The cache answers with the state at exactly this revision. It waits for a revision that it has not received yet. */
  | { readonly type: 'exact'; readonly revision: Revision; readonly startKey: string | undefined; readonly limit: number }

const store: ReadRoute = { type: 'store' }

/**
 * Decides whether the cache or the store answers a list. `selectListedState` determines which state the list returns. The store answers requests
 * that the cache cannot: invalid versions and tokens, invalid combinations of options, exact reads of one key, and states that the cache
 * does not have.
 */
export function routeList(question: ListQuestion, cache: CacheView): ReadRoute {
  const { resourceVersion, match, token, recursive } = question
  const revision = parseResourceVersion(resourceVersion)
  if (revision === undefined || token === 'invalid') return store
  if (match !== undefined && (token !== undefined || resourceVersion === '' || !matches.has(match))) return store
  if (match === 'Exact' && revision === 0) return store
  if (token !== undefined && (revision > 0 || !recursive)) return store

  const limit = Math.max(0, question.limit)
  const state = selectListedState({ resourceVersion, resourceVersionMatch: match, limit, revision, token })
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
