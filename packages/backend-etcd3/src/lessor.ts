import { randomInt } from 'node:crypto'
import type { LeaseId, Lessor } from '@keelson/storagebackend'
import { CallFailedError, type Servers } from './servers.ts'
import { toBackendError } from './translate-error.ts'

/** Grants and revokes leases. Chooses the lease ids, because ids chosen by etcd exceed the safe integer range. */
export class EtcdLessor implements Lessor {
  readonly #servers: Servers

  constructor(servers: Servers) {
    this.#servers = servers
  }

  async grantLease(ttlSeconds: number): Promise<LeaseId> {
    for (;;) {
      const id = randomInt(1, 2 ** 48 - 1)
      let attempts = 0
      try {
        // Retries are safe, because a second grant with the same id finds the first.
        await this.#servers.call({ type: 'read' }, (endpoint, settings) => {
          attempts++
          return endpoint.leases.leaseGrant({ ID: id, TTL: ttlSeconds }, settings)
        })
        return id
      } catch (error) {
        if (!(error instanceof CallFailedError)) throw error
        if (error.failure.kind !== 'lease-exists') throw toBackendError(error.failure)
        if (attempts > 1) return id
      }
    }
  }
}
