import type { KeyRange, Revision } from '@keelson/storagebackend'

/** Identifies a value. Every put of a history writes a unique tag. */
export type Tag = string

/** Microseconds of a monotonic clock that all recording processes share. */
export type Time = number

/** One version of a key, as a client saw it. */
export interface Seen {
  readonly key: string
  readonly tag: Tag
  readonly createRevision: Revision
  readonly modRevision: Revision
}

export type Write = { readonly type: 'put'; readonly key: string; readonly tag: Tag } | { readonly type: 'delete'; readonly key: string }

export type Call =
  | {
      readonly type: 'commit'
      readonly compare: readonly { readonly key: string; readonly modRevision: Revision }[]
      readonly operations: readonly Write[]
    }
  | { readonly type: 'get'; readonly key: string; readonly at?: Revision }
  | { readonly type: 'list'; readonly range: KeyRange; readonly at?: Revision; readonly limit?: number }

export type Outcome =
  | { readonly type: 'committed'; readonly revision: Revision }
  | { readonly type: 'lost'; readonly revision: Revision; readonly current: readonly (Seen | undefined)[] }
  | { readonly type: 'entry'; readonly revision: Revision; readonly entry: Seen | undefined }
  | {
      readonly type: 'page'
      readonly revision: Revision
      readonly entries: readonly Seen[]
      readonly count: number
      readonly more: boolean
    }
  /** The call failed and was not applied. */
  | { readonly type: 'failed' }
  /** It is unknown whether the call was applied. It was not applied after `returned`. */
  | { readonly type: 'unknown' }

/** One call by one client. */
export interface CallRecord {
  readonly call: Call
  readonly invoked: Time
  /** Time of the response. Infinity if the call can still take effect later. */
  readonly returned: Time
  readonly outcome: Outcome
}

export type SeenChange =
  | { readonly type: 'put'; readonly entry: Seen; readonly previous: Seen | undefined }
  | { readonly type: 'delete'; readonly key: string; readonly revision: Revision; readonly previous: Seen | undefined }

export type WatchItem =
  | { readonly type: 'changes'; readonly time: Time; readonly revision: Revision; readonly changes: readonly SeenChange[] }
  | { readonly type: 'progress'; readonly time: Time; readonly revision: Revision }

/** A watch from one call of `watch` to its end. */
export interface WatchSegment {
  readonly after: Revision
  readonly items: readonly WatchItem[]
}

/** All watches of one reader. Each segment resumes where the previous segment ended. */
export interface WatchRecord {
  readonly name: string
  readonly range: KeyRange
  readonly segments: readonly WatchSegment[]
  /** Revision up to which the last segment must have delivered all changes. */
  readonly mustReach?: Revision
}

/**
 * A restart of the store. All writes that clients saw before the restart must be present after it. `revision` is the revision of the store
 * after the restart.
 */
export interface Restart {
  readonly time: Time
  readonly revision: Revision
}

export interface History {
  readonly calls: readonly CallRecord[]
  readonly watches: readonly WatchRecord[]
  readonly restarts: readonly Restart[]
  /** True if leases may expire, which deletes keys without a request. */
  readonly expiries?: boolean
  /** True if the store's revision also counts writes that are not in the history. */
  readonly foreignRevisions?: boolean
  /** Revision of the store before the first call. The store had none of the history's keys then. */
  readonly start: Revision
}

export type Rule =
  | 'linearizable'
  | 'revisions-never-decrease'
  | 'one-write-per-revision'
  | 'acknowledged-writes-survive'
  | 'failed-writes-leave-nothing'
  | 'nothing-from-nowhere'
  | 'list-is-a-snapshot'
  | 'ordered'
  | 'unique'
  | 'atomic'
  | 'reliable'
  | 'resumable'
  | 'bookmarkable'
  | 'filtered'
  | 'previous-value'
  | 'create-flag'
  | 'watch-value'

export interface Violation {
  readonly rule: Rule
  readonly message: string
}

export type Report = (rule: Rule, message: string) => void

export function getChangeRevision(change: SeenChange): Revision {
  return change.type === 'put' ? change.entry.modRevision : change.revision
}

export function getChangeKey(change: SeenChange): string {
  return change.type === 'put' ? change.entry.key : change.key
}
