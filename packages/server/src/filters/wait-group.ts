import type { Filter } from './filter.ts'
import { setMaxListeners } from 'node:events'

/** Creates a filter that counts requests in flight, so that the shutdown can wait for them. */
export function countRequest(lifecycle: Lifecycle): Filter {
  const onEnd = (): void => lifecycle.leave()
  return (exchange) => {
    lifecycle.enter()
    exchange.onEnd(onEnd)
  }
}

/**
 * State of the server. It changes from running to draining (new requests are refused, long-running ones are ended, and others finish) and
 * then to stopped, never back.
 */
type LifecycleState = 'running' | 'draining' | 'stopped'

/** State of a server from start to stop, and the number of requests in flight. */
export class Lifecycle {
  #state: LifecycleState = 'running'
  #active = 0
  readonly #stopping = new AbortController()
  #idle: (() => void)[] = []

  constructor() {
    // Disables Node's warning about many listeners, because every watch adds one.
    setMaxListeners(0, this.#stopping.signal)
  }

  get state(): LifecycleState {
    return this.#state
  }

  /** Signal that aborts when draining begins. Watches then end without an error. */
  get stopping(): AbortSignal {
    return this.#stopping.signal
  }

  get active(): number {
    return this.#active
  }

  enter(): void {
    this.#active++
  }

  leave(): void {
    this.#active--
    if (this.#active > 0) return
    const waiting = this.#idle
    this.#idle = []
    for (const resolve of waiting) resolve()
  }

  drain(): void {
    if (this.#state !== 'running') return
    this.#state = 'draining'
    this.#stopping.abort(new Error('the server is shutting down'))
  }

  stop(): void {
    this.#state = 'stopped'
  }

  /** Resolves to true when no request is in flight, or to false after `milliseconds`. */
  async idle(milliseconds: number): Promise<boolean> {
    if (this.#active === 0) return true
    let timer: NodeJS.Timeout | undefined
    const timeout = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(false), milliseconds)
    })
    const idle = new Promise<boolean>((resolve) => this.#idle.push(() => resolve(true)))
    try {
      return await Promise.race([idle, timeout])
    } finally {
      clearTimeout(timer)
    }
  }
}
