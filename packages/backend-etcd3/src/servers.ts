import { pause } from '@keelson/apimachinery'
import type { Clock, Span } from '@keelson/apimachinery'
import type { CallSettings, Endpoint } from './endpoint.ts'
import { readFailure, type CallFailure } from './translate-error.ts'

const initialPause = 20
const maxPause = 500

/** Thrown if a call fails permanently, or if it still fails when the time for retries is over. */
export class CallFailedError extends Error {
  override readonly name = 'CallFailedError'
  readonly failure: CallFailure
  constructor(failure: CallFailure) {
    super(failure.message, { cause: failure.cause })
    this.failure = failure
  }
}

export interface RepeatOptions {
  /** Type of the call. A read is retried after any transient failure, a write only if it was certainly not applied. */
  readonly type: 'read' | 'write'
  readonly signal?: AbortSignal | undefined
  /** Timeout of each attempt in milliseconds. Default: the timeout in the servers' settings. */
  readonly callTimeout?: number
  readonly retryTimeout?: number
  /** Step of a recorded request that the call belongs to. */
  readonly span?: Span | undefined
}

/** The etcd servers, of which one is in use. Sends calls to it and decides whether a failed call is retried. */
export class Servers {
  readonly endpoints: readonly Endpoint[]
  readonly #clock: Clock
  readonly #callTimeout: number
  readonly #retryTimeout: number
  #current = 0

  constructor(
    endpoints: readonly Endpoint[],
    settings: { readonly clock: Clock; readonly callTimeout: number; readonly retryTimeout: number },
  ) {
    this.endpoints = endpoints
    this.#clock = settings.clock
    this.#callTimeout = settings.callTimeout
    this.#retryTimeout = settings.retryTimeout
  }

  get current(): Endpoint {
    return this.endpoints[this.#current]!
  }

  /** Switches to the next server if `endpoint` is the server in use. */
  markFailed(endpoint: Endpoint): void {
    if (this.current === endpoint) this.#current = (this.#current + 1) % this.endpoints.length
  }

  /**
   * Sends a call and retries it after transient failures. Throws `CallFailedError`, or the signal's reason when aborted. Rethrows errors that are
   * not gRPC errors.
   */
  async call<T>(options: RepeatOptions, call: (endpoint: Endpoint, settings: CallSettings) => Promise<T>): Promise<T> {
    const { type, signal, span } = options
    const giveUpAt = this.#clock.now() + (options.retryTimeout ?? this.#retryTimeout)
    for (let pauseMs = initialPause; ; pauseMs = Math.min(pauseMs * 2, maxPause)) {
      const endpoint = this.current
      const deadline = Date.now() + (options.callTimeout ?? this.#callTimeout)
      try {
        return await call(endpoint, { deadline, signal, span })
      } catch (error) {
        if (signal?.aborted) throw signal.reason
        if (typeof (error as { code?: unknown }).code !== 'number') throw error
        const failure = readFailure(error)
        if (failure.transient) this.markFailed(endpoint)
        const mayRetry = failure.transient && (type === 'read' || failure.outcome === 'none')
        if (!mayRetry || this.#clock.now() + pauseMs > giveUpAt) throw new CallFailedError(failure)
      }
      await this.pause(pauseMs, signal)
    }
  }

  /** Waits for the given time. Rejects with the signal's reason when aborted. */
  async pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
    await pause(this.#clock, milliseconds, { keepAlive: true, ...(signal && { signal }) })
    signal?.throwIfAborted()
  }
}
