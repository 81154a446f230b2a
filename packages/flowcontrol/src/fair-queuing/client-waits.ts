import { LinkedList } from '@keelson/apimachinery'
import type { Clock } from '@keelson/apimachinery'
import type { QueuedRequest } from './fair-request.ts'

/** Milliseconds that a response may wait for its client before its request gives its seats back. */
const patience = 1000

/**
 * Requests whose responses wait for their clients to read. Waits expire in the order of their beginning, so one timer serves all of them. A fast
 * client also makes a large response wait many times, but each time for less than the patience.
 */
export class ClientWaits {
  readonly #clock: Clock
  readonly #expire: (request: QueuedRequest) => void
  readonly #waits = new LinkedList<QueuedRequest>()
  #hasTimer = false

  constructor(clock: Clock, expire: (request: QueuedRequest) => void) {
    this.#clock = clock
    this.#expire = expire
  }

  begin(request: QueuedRequest): void {
    if (request.clientWait !== undefined) return
    request.clientWaitBegan = this.#clock.now()
    request.clientWait = this.#waits.add(request)
    if (this.#hasTimer) return
    this.#hasTimer = true
    this.#clock.after(patience, () => this.#sweep())
  }

  end(request: QueuedRequest): void {
    if (request.clientWait === undefined) return
    this.#waits.remove(request.clientWait)
    request.clientWait = undefined
  }

  #sweep(): void {
    const now = this.#clock.now()
    for (let first = this.#waits.first; first !== undefined; first = this.#waits.first) {
      const request = first.value
      const remaining = request.clientWaitBegan + patience - now
      if (remaining > 0) {
        this.#clock.after(remaining, () => this.#sweep())
        return
      }
      this.end(request)
      this.#expire(request)
    }
    this.#hasTimer = false
  }
}
