import { isInRange, type Revision } from '@keelson/storagebackend'
import { describe, type ChangeLog, type Version } from './change-log.ts'
import {
  getChangeKey,
  getChangeRevision,
  type Report,
  type Seen,
  type SeenChange,
  type WatchItem,
  type WatchRecord,
  type WatchSegment,
} from './history.ts'

/** Checks the rules for watches on every segment of one reader's watch. */
export function checkWatch(watch: WatchRecord, log: ChangeLog, report: Report): void {
  for (const [i, segment] of watch.segments.entries()) {
    const mustReach = i === watch.segments.length - 1 ? watch.mustReach : undefined
    new SegmentCheck(watch, segment, i > 0, log, (rule, message) => report(rule, `watch ${watch.name}: ${message}`)).run(mustReach)
  }
}

type Changes = Extract<WatchItem, { type: 'changes' }>

class SegmentCheck {
  readonly #watch: WatchRecord
  readonly #segment: WatchSegment
  readonly #resumed: boolean
  readonly #log: ChangeLog
  readonly #report: Report
  /** Index of the watch item that first contained a change, by the revision of the change. */
  readonly #shownIn = new Map<Revision, number>()
  readonly #shown = new Set<string>()
  readonly #mixed = new Set<Revision>()
  #newest: Revision
  #progress: Revision

  constructor(watch: WatchRecord, segment: WatchSegment, resumed: boolean, log: ChangeLog, report: Report) {
    this.#watch = watch
    this.#segment = segment
    this.#resumed = resumed
    this.#log = log
    this.#report = report
    this.#newest = this.#progress = segment.after
  }

  run(mustReach: Revision | undefined): void {
    const { items } = this.#segment
    for (const [index, item] of items.entries()) if (item.type === 'changes') this.#remember(item, index)
    let checkedTo = this.#segment.after
    for (const [index, item] of items.entries()) {
      if (item.type === 'changes') {
        this.#changes(item, index)
        continue
      }
      if (item.revision < this.#progress) this.#report('bookmarkable', `progress decreased from ${this.#progress} to ${item.revision}`)
      for (const revision of this.#expected(checkedTo, item.revision)) {
        const at = this.#shownIn.get(revision)
        if (at !== undefined && at > index)
          this.#report('bookmarkable', `progress to ${item.revision} arrived before the changes of ${revision}`)
      }
      checkedTo = Math.max(checkedTo, item.revision)
      this.#progress = Math.max(this.#progress, item.revision)
    }
    const covered = Math.max(this.#newest, this.#progress, mustReach ?? 0)
    let first = Infinity
    for (const revision of this.#shownIn.keys()) if (revision > this.#segment.after) first = Math.min(first, revision)
    for (const revision of this.#expected(this.#segment.after, covered)) {
      if (this.#shownIn.has(revision)) continue
      const atJoint = this.#resumed && revision < first
      this.#report(
        atJoint ? 'resumable' : 'reliable',
        `the changes of ${revision} never arrived${atJoint ? ` after resuming from ${this.#segment.after}` : ''}`,
      )
    }
  }

  #remember(item: Changes, index: number): void {
    for (const change of item.changes) {
      const revision = getChangeRevision(change)
      if (!this.#shownIn.has(revision)) this.#shownIn.set(revision, index)
    }
  }

  #changes(item: Changes, index: number): void {
    const inMessage = new Map<Revision, number>()
    for (const change of item.changes) {
      const revision = getChangeRevision(change)
      const key = getChangeKey(change)
      const description = `${change.type} of ${key} at ${revision}`
      const mark = `${revision}/${key}`
      if (!isInRange(this.#watch.range, key)) this.#report('filtered', `${description} is outside the range`)
      else inMessage.set(revision, (inMessage.get(revision) ?? 0) + 1)
      if (this.#shown.has(mark)) {
        this.#report('unique', `${description} arrived twice`)
        continue
      }
      this.#shown.add(mark)
      if (revision <= this.#segment.after)
        this.#report('resumable', `${description} arrived, although the watch started after ${this.#segment.after}`)
      else if (this.#shownIn.get(revision)! < index) this.#split(revision)
      else if (revision <= this.#progress) this.#report('bookmarkable', `${description} arrived after progress to ${this.#progress}`)
      else if (revision < this.#newest) this.#report('ordered', `${description} arrived after ${this.#newest}`)
      if (revision > item.revision) this.#report('ordered', `${description} arrived in a message of revision ${item.revision}`)
      this.#newest = Math.max(this.#newest, revision)
      this.#content(change, description)
    }
    for (const [revision, count] of inMessage) {
      const expected = this.#countExpected(revision)
      if (count < expected && this.#shownIn.get(revision) === index) this.#split(revision)
    }
    this.#newest = Math.max(this.#newest, item.revision)
  }

  #split(revision: Revision): void {
    if (this.#mixed.has(revision)) return
    this.#mixed.add(revision)
    this.#report('atomic', `the changes of ${revision} arrived in several messages`)
  }

  #content(change: SeenChange, subject: string): void {
    const key = getChangeKey(change)
    const version = this.#log.changes.get(getChangeRevision(change))?.get(key)
    const tag = change.type === 'put' ? change.entry.tag : undefined
    if (!version || version.tag !== tag) {
      this.#report(
        'watch-value',
        `${subject} shows ${tag ?? 'a delete'}, but ${version ? (version.tag ?? 'a delete') : 'nothing'} was written`,
      )
      return
    }
    if (!this.#samePrevious(change.previous, version, key))
      this.#report(
        'previous-value',
        `${subject} has the previous value ${change.previous ? describe(change.previous) : 'none'}, not ${version.previous?.tag ?? 'none'} of ${version.previous?.revision ?? 'ever'}`,
      )
    if (change.type !== 'put') return
    const { createRevision, modRevision } = change.entry
    const created = version.previous === undefined && version.create === version.revision
    if ((createRevision === modRevision) !== created && !this.#mayHaveBeenDeleted(key, version))
      this.#report('create-flag', `${subject} is ${created ? '' : 'not '}a create, but reports create revision ${createRevision}`)
    else if (createRevision !== version.create && !this.#log.mayVanish(key))
      this.#report('create-flag', `${subject} reports create revision ${createRevision}, not ${version.create}`)
  }

  #samePrevious(shown: Seen | undefined, version: Version, key: string): boolean {
    const { previous } = version
    if (shown?.tag === previous?.tag && shown?.modRevision === previous?.revision) return true
    return this.#mayHaveBeenDeleted(key, version)
  }

  /** Returns whether a write that no client saw may have deleted the key before this version. */
  #mayHaveBeenDeleted(key: string, version: Version): boolean {
    if (!this.#log.mayVanish(key)) return false
    const from = version.previous?.revision ?? 0
    for (let revision = version.revision - 1; revision > from; revision--) if (!this.#log.changes.has(revision)) return true
    return false
  }

  /** Returns the number of changes of a revision that the watch had to deliver. */
  #countExpected(revision: Revision): number {
    const changes = this.#log.changes.get(revision)
    if (!changes) return 0
    if (changes.size === 1) return isInRange(this.#watch.range, changes.keys().next().value!) ? 1 : 0
    let count = 0
    for (const key of changes.keys()) if (isInRange(this.#watch.range, key)) count++
    return count
  }

  *#expected(after: Revision, to: Revision): Generator<Revision> {
    const { revisions } = this.#log
    let low = 0
    let high = revisions.length
    while (low < high) {
      const mid = (low + high) >> 1
      if (revisions[mid]! <= after) low = mid + 1
      else high = mid
    }
    for (; low < revisions.length && revisions[low]! <= to; low++) if (this.#countExpected(revisions[low]!) > 0) yield revisions[low]!
  }
}
