import { setMaxListeners } from 'node:events'
import type { Exchange } from '@keelson/exchange'
import type { Filter } from './filter.ts'

/** Creates a filter that counts requests in flight, so that the shutdown can wait for them. */
export function countRequest(lifecycle: Lifecycle): Filter {
  const onEnd = ({ attributes }: Exchange): void => lifecycle.leave(attributes.verb === 'watch')
  return (exchange) => {
    lifecycle.enter(exchange.attributes.verb === 'watch')
    exchange.onEnd(onEnd)
  }
}

/**
 * State of the server. It changes from running to draining (new requests are refused, long-running ones are ended, and others finish) and
 * then to stopped, never back.
 */
type LifecycleState = 'running' | 'draining' | 'stopped'

/** Number of watches that end in a second at least, as in kube-apiserver. */
const minWatchRate = 200

/** State of a server from start to stop, and the number of requests in flight. */
export class Lifecycle {
  #state: LifecycleState = 'running'
  #active = 0
  /** Number of the active requests that are watches. */
  #watches = 0
  #endedWatches = 0
  readonly #watchGraceMs: number
  readonly #stopping = new AbortController()
  #idle: (() => void)[] = []

  /** Creates the state of a running server. When it drains, its watches end spread over at most `watchGraceMs`. */
  constructor(watchGraceMs = 0) {
    this.#watchGraceMs = watchGraceMs
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

  enter(isWatch = false): void {
    this.#active++
    if (isWatch) this.#watches++
  }

  leave(isWatch = false): void {
    if (isWatch) this.#watches--
    this.#active--
    if (this.#active > 0) return
    const waiting = this.#idle
    this.#idle = []
    for (const resolve of waiting) resolve()
  }

  get watches(): number {
    return this.#watches
  }

  /**
   * Returns the time in milliseconds after which the next watch ends when the server drains. Clients that lose their watches at once would all
   * connect to the other servers at once.
   */
  delayWatchEnd(): number {
    if (this.#watchGraceMs === 0) return 0
    const watchesPerSecond = Math.max(minWatchRate, (this.#watches / this.#watchGraceMs) * 1000)
    return (this.#endedWatches++ / watchesPerSecond) * 1000
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
