export interface BookmarkTimes {
  /** The interval between two bookmarks, in milliseconds. */
  readonly every: number
  /** The time between the last bookmark and the deadline of the watch, in milliseconds. */
  readonly beforeDeadline: number
}

export const defaultBookmarkTimes: BookmarkTimes = { every: 60_000, beforeDeadline: 2_000 }

const bucketWidth = 1000

/**
 * Schedules the bookmarks of open watchers. Watchers are grouped by the second of their next bookmark, so that a tick visits only those
 * whose bookmark is due.
 */
export class BookmarkSchedule<W extends { readonly deadline: number | undefined }> {
  readonly #times: BookmarkTimes
  readonly #buckets = new Map<number, Set<W>>()
  readonly #bucketOf = new Map<W, number>()
  /** The last second for which `takeDue` has returned watchers. */
  #lastSecond: number

  constructor(now: number, times: BookmarkTimes = defaultBookmarkTimes) {
    this.#times = times
    this.#lastSecond = Math.floor(now / bucketWidth)
  }

  /**
   * Plans the next bookmark of a watcher: one period from now, or shortly before the watch's deadline if that is earlier. Plans nothing if
   * that time has passed already.
   */
  plan(watcher: W, now: number): void {
    let dueAt = now + this.#times.every
    if (watcher.deadline !== undefined) dueAt = Math.min(dueAt, watcher.deadline - this.#times.beforeDeadline)
    if (dueAt >= now + bucketWidth) this.planAt(watcher, dueAt)
  }

  planAt(watcher: W, due: number): void {
    this.delete(watcher)
    const bucket = Math.max(Math.floor(due / bucketWidth), this.#lastSecond + 1)
    this.#bucketOf.set(watcher, bucket)
    const watchers = this.#buckets.get(bucket)
    if (watchers === undefined) this.#buckets.set(bucket, new Set([watcher]))
    else watchers.add(watcher)
  }

  delete(watcher: W): void {
    const bucket = this.#bucketOf.get(watcher)
    if (bucket === undefined) return
    this.#bucketOf.delete(watcher)
    const watchers = this.#buckets.get(bucket)
    if (watchers?.delete(watcher) === true && watchers.size === 0) this.#buckets.delete(bucket)
  }

  /** Removes and returns the watchers whose bookmark is due. */
  takeDue(now: number): W[] {
    const dueWatchers: W[] = []
    const current = Math.floor(now / bucketWidth)
    // After a pause of the process, more seconds may have passed than there are groups. Then visit the groups instead of the seconds.
    const buckets = current - this.#lastSecond > this.#buckets.size ? [...this.#buckets.keys()].filter((b) => b <= current) : undefined
    for (const bucket of buckets?.toSorted((a, b) => a - b) ?? listSecondsBetween(this.#lastSecond + 1, current)) {
      for (const watcher of this.#buckets.get(bucket) ?? []) {
        this.#bucketOf.delete(watcher)
        dueWatchers.push(watcher)
      }
      this.#buckets.delete(bucket)
    }
    this.#lastSecond = Math.max(this.#lastSecond, current)
    return dueWatchers
  }
}

function* listSecondsBetween(first: number, last: number): Generator<number> {
  for (let second = first; second <= last; second++) yield second
}
