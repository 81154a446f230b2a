export interface BookmarkTimes {
  /** ms between bookmarks. */
  readonly every: number
  /** ms before the deadline at which the last one is sent. */
  readonly beforeDeadline: number
}

export const defaultBookmarkTimes: BookmarkTimes = { every: 60_000, beforeDeadline: 2_000 }

const bucketWidth = 1000

/** Who gets a bookmark when, by the second: the cost of a look is that of those who are due. */
export class BookmarkSchedule<W extends { readonly deadline: number | undefined }> {
  readonly #times: BookmarkTimes
  readonly #buckets = new Map<number, Set<W>>()
  readonly #bucketOf = new Map<W, number>()
  #looked: number

  constructor(now: number, times: BookmarkTimes = defaultBookmarkTimes) {
    this.#times = times
    this.#looked = Math.floor(now / bucketWidth)
  }

  /** Plans the next one: a period from now, or shortly before the deadline; none when that is past. */
  plan(watcher: W, now: number): void {
    let due = now + this.#times.every
    if (watcher.deadline !== undefined) due = Math.min(due, watcher.deadline - this.#times.beforeDeadline)
    if (due >= now + bucketWidth) this.planAt(watcher, due)
  }

  planAt(watcher: W, due: number): void {
    this.delete(watcher)
    const bucket = Math.max(Math.floor(due / bucketWidth), this.#looked + 1)
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

  /** Takes out those whose second has come. */
  takeDue(now: number): W[] {
    const due: W[] = []
    const current = Math.floor(now / bucketWidth)
    // After a pause of the process there may be more seconds to walk than there are buckets.
    const buckets = current - this.#looked > this.#buckets.size ? [...this.#buckets.keys()].filter((b) => b <= current) : undefined
    for (const bucket of buckets?.toSorted((a, b) => a - b) ?? secondsBetween(this.#looked + 1, current)) {
      for (const watcher of this.#buckets.get(bucket) ?? []) {
        this.#bucketOf.delete(watcher)
        due.push(watcher)
      }
      this.#buckets.delete(bucket)
    }
    this.#looked = Math.max(this.#looked, current)
    return due
  }
}

function* secondsBetween(first: number, last: number): Generator<number> {
  for (let second = first; second <= last; second++) yield second
}
