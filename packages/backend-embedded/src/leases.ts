import type { Clock } from '@keelson/apimachinery'
import { LeaseNotFoundError, type LeaseId } from '@keelson/storagebackend'

export interface Lease {
  readonly id: LeaseId
  /** The time of expiry, in milliseconds since the epoch. */
  readonly expiresAt: number
}

export interface LeaseState {
  readonly lease: Lease
  readonly keys: Iterable<string>
}

/**
 * The leases of a store with their keys, and a timer for the next expiry. When leases expire, `onExpired` makes the store delete their
 * keys.
 */
export class Leases {
  readonly #clock: Clock
  readonly #onExpired: (ids: readonly LeaseId[]) => void
  readonly #leases = new Map<LeaseId, { readonly lease: Lease; readonly keys: Set<string> }>()
  #nextId = 1
  #due = Infinity
  #cancelTimer: (() => void) | undefined

  constructor(clock: Clock, onExpired: (ids: readonly LeaseId[]) => void) {
    this.#clock = clock
    this.#onExpired = onExpired
  }

  create(expiresAt: number): Lease {
    return { id: this.#nextId++, expiresAt }
  }

  add(lease: Lease, keys: Iterable<string> = []): void {
    this.#leases.set(lease.id, { lease, keys: new Set(keys) })
    this.#nextId = Math.max(this.#nextId, lease.id + 1)
    if (lease.expiresAt < this.#due) this.#schedule(lease.expiresAt)
  }

  remove(id: LeaseId): void {
    this.#leases.delete(id)
  }

  find(id: LeaseId): Lease | undefined {
    return this.#leases.get(id)?.lease
  }

  /** Throws if the lease does not exist or has expired. Keys of an expired lease may be about to be deleted, so no key may be added. */
  require(id: LeaseId): void {
    const lease = this.#leases.get(id)
    if (!lease || lease.lease.expiresAt <= this.#clock.now()) throw new LeaseNotFoundError(id)
  }

  attach(id: LeaseId, key: string): void {
    this.#leases.get(id)?.keys.add(key)
  }

  detach(id: LeaseId, key: string): void {
    this.#leases.get(id)?.keys.delete(key)
  }

  keys(id: LeaseId): Iterable<string> {
    return this.#leases.get(id)?.keys ?? []
  }

  all(): LeaseState[] {
    return [...this.#leases.values()]
  }

  /** Tries to end expired leases again after a delay, because their keys could not be deleted. */
  retry(milliseconds: number): void {
    this.#schedule(this.#clock.now() + milliseconds)
  }

  close(): void {
    this.#cancelTimer?.()
    this.#due = -Infinity
  }

  #schedule(at: number): void {
    this.#cancelTimer?.()
    this.#due = at
    this.#cancelTimer = this.#clock.after(Math.max(0, at - this.#clock.now()), () => {
      this.#cancelTimer = undefined
      this.#expire()
    })
  }

  #expire(): void {
    const now = this.#clock.now()
    const expired: LeaseId[] = []
    let nextExpiry = Infinity
    for (const { lease } of this.#leases.values()) {
      if (lease.expiresAt <= now) expired.push(lease.id)
      else nextExpiry = Math.min(nextExpiry, lease.expiresAt)
    }
    this.#due = Infinity
    if (nextExpiry !== Infinity) this.#schedule(nextExpiry)
    if (expired.length > 0) this.#onExpired(expired)
  }
}
