import { parseResourceVersion } from '@keelson/storagebackend'
import type { Revision } from '@keelson/storagebackend'

/** A list request, reduced to what decides where it is answered. */
export interface ListQuestion {
  readonly resourceVersion: string
  readonly match: 'Exact' | 'NotOlderThan' | undefined
  readonly limit: number
  /** What the continue token says; "invalid" when it cannot be read. A negative revision goes on at the latest state. */
  readonly token: { readonly revision: Revision; readonly startKey: string } | 'invalid' | undefined
  readonly recursive: boolean
}

/** What the table must know of the cache. */
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
 * Which state a list means, and who has it. https://kubernetes.io/docs/reference/using-api/api-concepts/#semantics-for-get-and-list
 *
 *   match         resourceVersion  limit  continue   means
 *   ────────────  ───────────────  ─────  ────────   ─────────────────────────────────────────
 *   Exact         N                any    no         exactly N
 *   NotOlderThan  0 or N           any    no         N or newer (limit counts unless 0)
 *   none          ""  or 0         any    rv > 0     exactly the token's revision, from its key
 *   none          ""  or 0         any    rv < 0     the latest, from the token's key
 *   none          N                > 0    no         exactly N (as it was before there was "match")
 *   none          N                0      no         N or newer
 *   none          0                any    no         any age, limit ignored
 *   none          ""               any    no         the latest
 *
 * Everything else (unreadable versions and tokens, combinations that are refused, exact reads of one key or of a state that is
 * not held) is the store's, which also words the refusals.
 */
export function routeList(question: ListQuestion, cache: CacheView): ReadRoute {
  const { match, token, recursive } = question
  const revision = parseResourceVersion(question.resourceVersion)
  if (revision === undefined || token === 'invalid') return store
  const limit = question.resourceVersion === '0' ? 0 : Math.max(0, question.limit)

  if (token !== undefined) {
    if (match !== undefined || revision > 0 || !recursive) return store
    return token.revision < 0
      ? { type: 'consistent', startKey: token.startKey, limit }
      : exact(token.revision, token.startKey, limit, cache)
  }
  switch (match) {
    case 'Exact':
      return revision > 0 && recursive ? exact(revision, undefined, limit, cache) : store
    case 'NotOlderThan':
      return question.resourceVersion === '' ? store : { type: 'notOlderThan', revision, limit }
    case undefined:
      if (question.resourceVersion === '') return { type: 'consistent', startKey: undefined, limit }
      if (revision > 0 && limit > 0) return recursive ? exact(revision, undefined, limit, cache) : store
      return { type: 'notOlderThan', revision, limit }
    default:
      return store
  }
}

function exact(revision: Revision, startKey: string | undefined, limit: number, cache: CacheView): ReadRoute {
  return revision > cache.revision || cache.holds(revision) ? { type: 'exact', revision, startKey, limit } : store
}
