import type { EmbeddedBackend } from '@keelson/backend-embedded'
import type { ClusterClock } from './cluster-clock.ts'

/** Time in milliseconds after which controllers start without a change, because some act on time. */
const maxHoldMs = 100

/**
 * The start of the controllers of a fork. Its origin's controllers have handled all objects, so its own have nothing to do until an object changes or
 * time passes. Many tests only read from a fork or close it soon.
 */
export class HeldControllers {
  /** Resolves when the controllers must start. */
  readonly start: Promise<void>
  readonly #store: EmbeddedBackend
  /** Revision of the objects that controllers have handled. */
  readonly #revision: number
  readonly #stop = new AbortController()
  readonly #cancelTimer: () => void
  #resolve: () => void = () => {}

  constructor(store: EmbeddedBackend, clock: ClusterClock) {
    this.#store = store
    this.#revision = store.takeSnapshot().revision
    this.start = new Promise((resolve) => (this.#resolve = resolve))
    this.#cancelTimer = clock.after(maxHoldMs, () => this.release())
    void this.#releaseAfterChange()
  }

  /** True if no object has changed, so that the controllers have nothing to do. */
  get isSettled(): boolean {
    return this.#store.takeSnapshot().revision === this.#revision
  }

  release(): void {
    this.close()
    this.#resolve()
  }

  close(): void {
    this.#stop.abort()
    this.#cancelTimer()
  }

  async #releaseAfterChange(): Promise<void> {
    const { signal } = this.#stop
    const allKeys = { start: '/', end: '0' }
    try {
      for await (const { type } of this.#store.watch(allKeys, this.#revision, { signal })) {
        if (type === 'changes') return this.release()
      }
    } catch {
      // The store has closed.
    }
  }
}
