import type { LeaseId, Lessor } from './backend.ts'
import { translateBackendError } from './translate-error.ts'

const maxObjects = 1000
const maxReuseSeconds = 60

/**
 * Grants leases that several objects share if they expire at about the same time, as in kube-apiserver. An object may live longer than its
 * time to live, by 5 % (at most 60 s), but never shorter. At most 1,000 objects share one lease.
 */
export class LeasePool {
  readonly #lessor: Lessor
  readonly #now: () => number
  #current: { id: LeaseId; expiresAt: number; objects: number } | undefined
  #granting: Promise<void> | undefined

  constructor(lessor: Lessor, now: () => number) {
    this.#lessor = lessor
    this.#now = now
  }

  /** Returns a lease for the object at `key`. Error messages name this key. */
  async lease(key: string, ttlSeconds: number): Promise<LeaseId> {
    // Wait for a running grant, so that concurrent requests share one lease.
    while (this.#granting) await this.#granting
    const reuse = Math.min(maxReuseSeconds, Math.floor(ttlSeconds * 0.05))
    const needed = this.#now() + ttlSeconds * 1000
    const current = this.#current
    if (current && current.objects < maxObjects && current.expiresAt >= needed && current.expiresAt <= needed + reuse * 1000) {
      current.objects++
      return current.id
    }
    const granting = this.#lessor.grantLease(ttlSeconds + reuse)
    const settled = granting.then(
      () => undefined,
      () => undefined,
    )
    this.#granting = settled
    try {
      const id = await granting
      this.#current = { id, expiresAt: needed + reuse * 1000, objects: 1 }
      return id
    } catch (error) {
      throw translateBackendError(error, key)
    } finally {
      this.#granting = undefined
    }
  }
}
