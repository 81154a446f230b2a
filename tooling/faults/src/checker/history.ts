import type { KeyRange, Revision } from '@keelson/storagebackend'

/** Stands for a value: every put of a history writes a tag of its own. */
export type Tag = string

/** Microseconds of one monotonic clock that all recording processes share. */
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
  /** It certainly did not happen. */
  | { readonly type: 'failed' }
  /** It may have happened, and then before `returned`. */
  | { readonly type: 'unknown' }

/** One call by one client. */
export interface CallRecord {
  readonly call: Call
  readonly invoked: Time
  /** Infinity when it may still take effect at any time. */
  readonly returned: Time
  readonly outcome: Outcome
}

export type SeenChange =
  | { readonly type: 'put'; readonly entry: Seen; readonly previous: Seen | undefined }
  | { readonly type: 'delete'; readonly key: string; readonly revision: Revision; readonly previous: Seen | undefined }

export type WatchItem =
  | { readonly type: 'changes'; readonly time: Time; readonly revision: Revision; readonly changes: readonly SeenChange[] }
  | { readonly type: 'progress'; readonly time: Time; readonly revision: Revision }

/** From one call of `watch` to its end. */
export interface WatchSegment {
  readonly after: Revision
  readonly items: readonly WatchItem[]
}

/** One reader, who resumes where the segment before ended. */
export interface WatchRecord {
  readonly name: string
  readonly range: KeyRange
  readonly segments: readonly WatchSegment[]
  /** The last segment had to deliver everything up to here. */
  readonly mustReach?: Revision
}

/** The store was opened again. What was shown before must be there: `revision` is the store's when it came back. */
export interface Restart {
  readonly time: Time
  readonly revision: Revision
}

export interface History {
  readonly calls: readonly CallRecord[]
  readonly watches: readonly WatchRecord[]
  readonly restarts: readonly Restart[]
  /** Deletes that no client asked for may happen (leases expire). */
  readonly expiries?: boolean
  /** The store's revision also counts writes of others, which are not recorded. */
  readonly foreignRevisions?: boolean
  /** The revision before the first call; the store was empty of the history's keys. */
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
