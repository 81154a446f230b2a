import { systemClock } from '@keelson/apimachinery'
import type { Clock } from '@keelson/apimachinery'
import type { QueueMetrics, WorkQueueMetrics } from './work-queue-metrics.ts'

export interface WorkQueueOptions {
  /** Reconciles one key. If it throws, the key is retried with backoff, or after the delay of a `RetryAfter` error. */
  readonly process: (key: string, signal: AbortSignal) => Promise<void>
  readonly clock?: Clock
  /** Number of keys that are processed concurrently. Default: 2. */
  readonly workers?: number
  /** First retry delay in milliseconds; `longestRetry` is the longest one. Defaults: 5 and 60,000. */
  readonly firstRetry?: number
  readonly longestRetry?: number
  readonly onError?: (key: string, error: unknown) => void
  /** Metrics of the queue. Default: the metrics are not exported. */
  readonly metrics?: WorkQueueMetrics
  /** Name of the queue in metrics. Default: "". */
  readonly name?: string
}

/** Error that makes the queue process the key again after a delay. It does not count as a failure. */
export class RetryAfter extends Error {
  readonly milliseconds: number
  constructor(milliseconds: number, message: string) {
    super(message)
    this.name = 'RetryAfter'
    this.milliseconds = milliseconds
  }
}

/**
 * A deduplicating queue of keys. A key is never processed twice concurrently; one added while being processed is processed again afterwards.
 * So the queue never holds more entries than there are keys.
 *
 *     add ──▶ waiting ──▶ working ──▶ done
 *               ▲            │ fails, or added again
 *               └── delayed ◀┘
 */
export class WorkQueue implements AsyncDisposable {
  readonly #options: WorkQueueOptions
  readonly #clock: Clock
  /** Waiting keys, with the time at which they were added. */
  readonly #waiting = new Map<string, number>()
  readonly #working = new Map<string, { readonly since: number; readonly work: Promise<void> }>()
  /** Keys that were added again while they were being processed, with the time of that. */
  readonly #again = new Map<string, number>()
  readonly #delayed = new Map<string, { readonly due: number; readonly cancel: () => void }>()
  readonly #failures = new Map<string, number>()
  readonly #stop = new AbortController()
  readonly #metrics: QueueMetrics | undefined

  constructor(options: WorkQueueOptions) {
    this.#options = options
    this.#clock = options.clock ?? systemClock
    this.#metrics = options.metrics?.createQueueMetrics(options.name ?? '', () => {
      const now = this.#clock.now()
      const working = Array.from(this.#working.values(), ({ since }) => (now - since) / 1000)
      return { waiting: this.#waiting.size + this.#again.size, working }
    })
  }

  add(key: string): void {
    if (this.#stop.signal.aborted) return
    this.#undelay(key)
    const pending = this.#working.has(key) ? this.#again : this.#waiting
    if (pending.has(key)) return
    pending.set(key, this.#clock.now())
    this.#metrics?.countAdd()
    // Starts asynchronously, because the caller may add a key many times in a row.
    queueMicrotask(() => this.#startWork())
  }

  /** Adds a key after a delay. If the key already has a delay, the earlier time applies. */
  addAfter(key: string, milliseconds: number): void {
    if (this.#stop.signal.aborted) return
    this.#metrics?.countRetry()
    const dueAt = this.#clock.now() + milliseconds
    const present = this.#delayed.get(key)
    if (present !== undefined && present.due <= dueAt) return
    this.#undelay(key)
    this.#delayed.set(key, { due: dueAt, cancel: this.#clock.after(milliseconds, () => this.add(key)) })
  }

  /** Stops the queue. Waits for keys that are being processed and starts no others. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    for (const { cancel } of this.#delayed.values()) cancel()
    this.#delayed.clear()
    this.#waiting.clear()
    await Promise.all(Array.from(this.#working.values(), ({ work }) => work))
    this.#metrics?.close()
  }

  #undelay(key: string): void {
    this.#delayed.get(key)?.cancel()
    this.#delayed.delete(key)
  }

  #startWork(): void {
    for (const [key, added] of this.#waiting) {
      if (this.#working.size >= (this.#options.workers ?? 2)) return
      this.#waiting.delete(key)
      const startTime = this.#clock.now()
      this.#metrics?.recordStart((startTime - added) / 1000)
      this.#working.set(key, { since: startTime, work: this.#work(key, startTime) })
    }
  }

  async #work(key: string, since: number): Promise<void> {
    // Waits for a microtask, so that the promise is in #working before it settles.
    await Promise.resolve()
    let retry: number | undefined
    try {
      await this.#options.process(key, this.#stop.signal)
      this.#failures.delete(key)
    } catch (error) {
      retry = this.#retryIn(key, error)
    }
    this.#working.delete(key)
    this.#metrics?.recordEnd((this.#clock.now() - since) / 1000)
    if (this.#stop.signal.aborted) return
    const added = this.#again.get(key)
    if (added !== undefined) {
      this.#again.delete(key)
      this.#waiting.set(key, added)
    } else if (retry !== undefined) this.addAfter(key, retry)
    this.#startWork()
  }

  #retryIn(key: string, error: unknown): number {
    if (error instanceof RetryAfter) {
      this.#failures.delete(key)
      return error.milliseconds
    }
    if (!this.#stop.signal.aborted) this.#options.onError?.(key, error)
    const { firstRetry = 5, longestRetry = 60_000 } = this.#options
    const failures = this.#failures.get(key) ?? 0
    this.#failures.set(key, failures + 1)
    return Math.min(longestRetry, firstRetry * 2 ** Math.min(failures, 30))
  }
}
