import type { Clock } from '@keelson/apimachinery'

export type ReadinessState =
  | { readonly type: 'pending'; readonly reason: string; readonly since: number }
  | { readonly type: 'ready' }
  | { readonly type: 'stopped' }

/**
 * The readiness of the cache. Requests can wait for it.
 *
 *   pending ──first list──▶ ready ──must list again──▶ pending …      any ──close──▶ stopped
 */
export class Readiness {
  readonly #clock: Clock
  #state: ReadinessState
  #waiting = new Set<() => void>()

  constructor(clock: Clock) {
    this.#clock = clock
    this.#state = { type: 'pending', reason: 'storage is (re)initializing', since: clock.now() }
  }

  get state(): ReadinessState {
    return this.#state
  }
  get isReady(): boolean {
    return this.#state.type === 'ready'
  }

  setReady(): void {
    if (this.#state.type !== 'stopped') this.#change({ type: 'ready' })
  }

  setPending(reason: string): void {
    if (this.#state.type === 'stopped') return
    const pendingSince = this.#state.type === 'pending' ? this.#state.since : this.#clock.now()
    this.#state = { type: 'pending', reason, since: pendingSince }
  }

  stop(): void {
    this.#change({ type: 'stopped' })
  }

  /** Resolves to true when the cache is ready. Resolves to false when it is stopped, after `milliseconds`, or when the signal aborts. */
  async wait(milliseconds: number, signal?: AbortSignal): Promise<boolean> {
    if (this.#state.type === 'pending' && signal?.aborted !== true) {
      await new Promise<void>((resolve) => {
        const finish = (): void => {
          cancel()
          this.#waiting.delete(finish)
          signal?.removeEventListener('abort', finish)
          resolve()
        }
        const cancel = this.#clock.after(milliseconds, finish)
        this.#waiting.add(finish)
        signal?.addEventListener('abort', finish)
      })
    }
    return this.isReady
  }

  #change(state: ReadinessState): void {
    this.#state = state
    for (const resume of this.#waiting) resume()
  }
}
