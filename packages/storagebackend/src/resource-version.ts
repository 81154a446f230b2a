import { quote } from '@keelson/apimachinery'
import type { Revision } from './backend.ts'
import { StorageError } from './errors.ts'
import type { ListObjectsOptions, WatchObjectsOptions } from './storage.ts'

/** Parses the `resourceVersion` of a request. Returns 0 for "" and "0", and undefined for text that is not an unsigned 64-bit integer. */
export function parseResourceVersion(text: string | undefined): Revision | undefined {
  if (text === undefined || text === '' || text === '0') return 0
  if (!/^\d{1,20}$/.test(text) || BigInt(text) > 0xffff_ffff_ffff_ffffn) return undefined
  // The number may be rounded above 2^53. A store never reaches such revisions, so it is still a future revision.
  return Number(text)
}

/** Returns kube-apiserver's error text for an invalid resourceVersion. */
function describeRefusal(text: string): string {
  const reason = /^\d+$/.test(text) ? 'value out of range' : 'invalid syntax'
  return `resourceVersion: Invalid value: ${quote(text)}: strconv.ParseUint: parsing ${quote(text)}: ${reason}`
}

/** Parses the `resourceVersion` of a read from the store. Throws `BadRequest` if it is invalid. */
export function requireResourceVersion(text: string | undefined): Revision {
  const revision = parseResourceVersion(text)
  if (revision !== undefined) return revision
  throw new StorageError({ code: 'BadRequest', key: '', message: `invalid resource version: ${describeRefusal(text!)}` })
}

/**
 * Parses the `resourceVersion` of a watch or of a read from a cache. Throws `UnparsableResourceVersion` if it is invalid, because
 * kube-apiserver responds to such requests with 500. It responds to reads from the store with 400.
 */
export function requireParsableResourceVersion(text: string | undefined): Revision {
  const revision = parseResourceVersion(text)
  if (revision !== undefined) return revision
  throw new StorageError({ code: 'UnparsableResourceVersion', key: '', message: describeRefusal(text!) })
}

/** The parameters of a list that determine the state which the list returns. `revision` is the parsed `resourceVersion`. */
interface ListedVersion extends Required<Pick<ListObjectsOptions, 'resourceVersion' | 'resourceVersionMatch' | 'limit'>> {
  readonly revision: Revision
  /** The decoded continue token. A negative revision means that the list continues at the latest state. */
  readonly token: { readonly revision: Revision; readonly startKey: string } | undefined
}

type ListedState =
  | { readonly type: 'latest'; readonly startKey: string | undefined }
  /** The list returns a state that is not older than `revision`. With 0 it may return any state. */
  | { readonly type: 'notOlderThan'; readonly revision: Revision }
  | { readonly type: 'exact'; readonly revision: Revision; readonly startKey: string | undefined }

/**
 * Returns the state that a list must read. https://kubernetes.io/docs/reference/using-api/api-concepts/#semantics-for-get-and-list
 *
 *   continue   resourceVersion  match         limit   state
 *   ────────   ───────────────  ────────────  ─────   ───────────────────────────────────────────
 *   rv > 0     "" or 0          none          any     exactly the token's revision, from its key
 *   rv < 0     "" or 0          none          any     the latest, from the token's key
 *   no         N                Exact         any     exactly N
 *   no         N                none          > 0     exactly N (older than "match")
 *   no         ""               none          any     the latest
 *   no         0 or N           NotOlderThan  any     0: any age; N: N or newer
 *   no         0 or N           none          any     the same
 */
export function selectListedState({ resourceVersion, resourceVersionMatch, limit, revision, token }: ListedVersion): ListedState {
  if (token !== undefined) {
    const { startKey } = token
    return token.revision > 0 ? { type: 'exact', revision: token.revision, startKey } : { type: 'latest', startKey }
  }
  const isExact = resourceVersionMatch === 'Exact' || (resourceVersionMatch === undefined && limit > 0)
  if (isExact && revision > 0) return { type: 'exact', revision, startKey: undefined }
  return resourceVersion === '' ? { type: 'latest', startKey: undefined } : { type: 'notOlderThan', revision }
}

/**
 * Returns true if a watch starts with ADDED events for a state, false if it starts with the changes after its `resourceVersion`.
 *
 *   sendInitialEvents  resourceVersion   starts with
 *   ─────────────────  ───────────────   ─────────────────────────────────────────────────────────────────────
 *   true               "" / 0 / N        the latest state / one of any age / one not older than N; then, if
 *                                        bookmarks are allowed, the bookmark that ends the initial events
 *   unset              "" / 0            the latest state / one of any age
 *   unset or false     N                 the changes after N
 *   false              "" / 0            the changes from now on
 */
export function startsWithState({ sendInitialEvents }: Pick<WatchObjectsOptions, 'sendInitialEvents'>, revision: Revision): boolean {
  return sendInitialEvents ?? revision === 0
}
