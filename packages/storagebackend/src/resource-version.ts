import { quote } from '@keelson/apimachinery'
import type { Revision } from './backend.ts'
import { StorageError } from './errors.ts'
import type { ListObjectsOptions, WatchObjectsOptions } from './storage.ts'

/** Parses the `resourceVersion` of a request. "" and "0" are 0. Returns undefined if it is not an unsigned integer of 64 bits. */
export function parseResourceVersion(text: string | undefined): Revision | undefined {
  if (text === undefined || text === '' || text === '0') return 0
  if (!/^\d{1,20}$/.test(text) || BigInt(text) > 0xffff_ffff_ffff_ffffn) return undefined
  // A number beyond 2^53 may be rounded, but is always in the future.
  return Number(text)
}

/** Returns kube-apiserver's reason for refusing a resourceVersion. */
function refusalOf(text: string): string {
  const reason = /^\d+$/.test(text) ? 'value out of range' : 'invalid syntax'
  return `resourceVersion: Invalid value: ${quote(text)}: strconv.ParseUint: parsing ${quote(text)}: ${reason}`
}

/** Parses the `resourceVersion` of a read from the store. Throws `BadRequest` if it is invalid. */
export function requireResourceVersion(text: string | undefined): Revision {
  const revision = parseResourceVersion(text)
  if (revision !== undefined) return revision
  throw new StorageError({ code: 'BadRequest', key: '', message: `invalid resource version: ${refusalOf(text!)}` })
}

/**
 * Parses the `resourceVersion` of a watch or of a read from a cache. Throws `UnparsableResourceVersion`, because kube-apiserver answers 500 here, and
 * 400 to reads from the store.
 */
export function requireParsableResourceVersion(text: string | undefined): Revision {
  const revision = parseResourceVersion(text)
  if (revision !== undefined) return revision
  throw new StorageError({ code: 'UnparsableResourceVersion', key: '', message: refusalOf(text!) })
}

/** The parameters of a list that determine which state it returns. `revision` is the parsed `resourceVersion`. */
interface ListedVersion extends Required<Pick<ListObjectsOptions, 'resourceVersion' | 'resourceVersionMatch' | 'limit'>> {
  readonly revision: Revision
  /** The decoded continue token. With a negative revision the list continues at the latest state. */
  readonly token: { readonly revision: Revision; readonly startKey: string } | undefined
}

type ListedState =
  | { readonly type: 'latest'; readonly startKey: string | undefined }
  /** A state that is not older than `revision`. 0 accepts any state. */
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
export function listedState({ resourceVersion, resourceVersionMatch, limit, revision, token }: ListedVersion): ListedState {
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
