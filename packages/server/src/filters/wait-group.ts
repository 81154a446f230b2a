import type { Filter } from './filter.ts'
import { setMaxListeners } from 'node:events'

/** Counts the requests in flight, which a shutdown waits for. */
export function countRequest(lifecycle: Lifecycle): Filter {
  const leave = (): void => lifecycle.leave()
  return (exchange) => {
    lifecycle.enter()
    exchange.onEnd(leave)
  }
}

/** running → draining (new requests are refused, those in flight finish, long-running ones are ended) → stopped. The order never reverses. */
type LifecycleState = 'running' | 'draining' | 'stopped'

/** The state of a server between start and stop, and the number of its active requests. */
export class Lifecycle {
  #state: LifecycleState = 'running'
  #active = 0
  readonly #stopping = new AbortController()
  #idle: (() => void)[] = []

  constructor() {
    // Every watch listens to it, which Node 20 would report as a leak.
    setMaxListeners(0, this.#stopping.signal)
  }

  get state(): LifecycleState {
    return this.#state
  }

  /** Aborts when draining begins. Watches end without an error. */
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
    const late = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(false), milliseconds)
    })
    const done = new Promise<boolean>((resolve) => this.#idle.push(() => resolve(true)))
    try {
      return await Promise.race([done, late])
    } finally {
      clearTimeout(timer)
    }
  }
}
