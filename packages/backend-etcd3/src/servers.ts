import { pause } from '@keelson/apimachinery'
import type { Clock } from '@keelson/apimachinery'
import type { CallSettings, Endpoint } from './endpoint.ts'
import { readFailure, type CallFailure } from './translate-error.ts'

const firstPause = 20
const longestPause = 500

/** A call that failed for good, or for too long. */
export class CallFailedError extends Error {
  override readonly name = 'CallFailedError'
  readonly failure: CallFailure
  constructor(failure: CallFailure) {
    super(failure.message, { cause: failure.cause })
    this.failure = failure
  }
}

export interface RepeatOptions {
  /** Reads may be done again after any failure that passes; a write only when it certainly did not happen. */
  readonly type: 'read' | 'write'
  readonly signal?: AbortSignal | undefined
  /** Default: those of the settings. */
  readonly callTimeout?: number
  readonly patience?: number
}

/** The servers, one of them in use, and the rule by which calls are tried again. */
export class Servers {
  readonly all: readonly Endpoint[]
  readonly #clock: Clock
  readonly #callTimeout: number
  readonly #patience: number
  #current = 0

  constructor(all: readonly Endpoint[], settings: { readonly clock: Clock; readonly callTimeout: number; readonly patience: number }) {
    this.all = all
    this.#clock = settings.clock
    this.#callTimeout = settings.callTimeout
    this.#patience = settings.patience
  }

  get current(): Endpoint {
    return this.all[this.#current]!
  }

  /** The next one takes over, unless that has happened already. */
  failed(endpoint: Endpoint): void {
    if (this.current === endpoint) this.#current = (this.#current + 1) % this.all.length
  }

  /** Throws `CallFailedError`, the signal's reason, or what is no call's failure, as it is. */
  async call<T>(options: RepeatOptions, call: (endpoint: Endpoint, settings: CallSettings) => Promise<T>): Promise<T> {
    const { type, signal } = options
    const giveUp = this.#clock.now() + (options.patience ?? this.#patience)
    for (let wait = firstPause; ; wait = Math.min(wait * 2, longestPause)) {
      const endpoint = this.current
      const deadline = Date.now() + (options.callTimeout ?? this.#callTimeout)
      try {
        return await call(endpoint, { deadline, signal })
      } catch (error) {
        if (signal?.aborted) throw signal.reason
        if (typeof (error as { code?: unknown }).code !== 'number') throw error
        const failure = readFailure(error)
        if (failure.transient) this.failed(endpoint)
        const again = failure.transient && (type === 'read' || failure.outcome === 'none')
        if (!again || this.#clock.now() + wait > giveUp) throw new CallFailedError(failure)
      }
      await this.pause(wait, signal)
    }
  }

  /** Ends early when the signal aborts. */
  async pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
    await pause(this.#clock, milliseconds, { keepAlive: true, ...(signal && { signal }) })
    signal?.throwIfAborted()
  }
}
