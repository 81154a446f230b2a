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
  /** The call was certainly not applied. */
  | { readonly type: 'failed' }
  /** The call may have been applied, but only before `returned`. */
  | { readonly type: 'unknown' }

/** One call by one client. */
export interface CallRecord {
  readonly call: Call
  readonly invoked: Time
  /** Time of the response. Infinity if the call may still take effect at any time. */
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

/** The watch of one reader. Each segment resumes at the end of the previous one. */
export interface WatchRecord {
  readonly name: string
  readonly range: KeyRange
  readonly segments: readonly WatchSegment[]
  /** The last segment had to deliver all changes up to this revision. */
  readonly mustReach?: Revision
}

/** A restart of the store. All writes that clients saw before must be present. `revision` is the store's revision afterwards. */
export interface Restart {
  readonly time: Time
  readonly revision: Revision
}

export interface History {
  readonly calls: readonly CallRecord[]
  readonly watches: readonly WatchRecord[]
  readonly restarts: readonly Restart[]
  /** Leases may expire, which deletes keys without a request. */
  readonly expiries?: boolean
  /** The store's revision also counts unrecorded writes of other clients. */
  readonly foreignRevisions?: boolean
  /** Revision before the first call, when the store had none of the history's keys. */
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

export function revisionOfChange(change: SeenChange): Revision {
  return change.type === 'put' ? change.entry.modRevision : change.revision
}

export function keyOfChange(change: SeenChange): string {
  return change.type === 'put' ? change.entry.key : change.key
}
