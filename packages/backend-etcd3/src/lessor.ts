import { randomInt } from 'node:crypto'
import type { LeaseId, Lessor } from '@keelson/storagebackend'
import { CallFailedError, type Servers } from './servers.ts'
import { toBackendError } from './translate-error.ts'

/** Grants and revokes leases. Chooses lease ids itself, because ids that etcd chooses can exceed the range of safe integers. */
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
        // The call may be retried like a read: if the first attempt was applied, the second one fails because the id exists.
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
