import { randomUUID } from 'node:crypto'
import type { Lease } from '@keelson/api/coordination/v1'
import {
  selectEveryField,
  formatMicroTime,
  isApiError,
  parseMicroTime,
  pause,
  createSelectorFromLabels,
  toMillis,
} from '@keelson/apimachinery'
import type { Clock, DeepReadonly } from '@keelson/apimachinery'
import type { LoopbackClient, LoopbackListOptions, LoopbackResource } from '@keelson/loopback'

/** Namespace of the identity leases. */
export const identityNamespace = 'kube-system'
/** Label of the leases that identify API servers. */
export const identityLabel = { key: 'apiserver.kubernetes.io/identity', value: 'kube-apiserver' } as const
/** Selects the leases that identify API servers. */
export const identityPredicate: NonNullable<LoopbackListOptions['predicate']> = {
  labels: createSelectorFromLabels({ [identityLabel.key]: identityLabel.value }),
  fields: selectEveryField(),
}
const hostnameLabel = 'kubernetes.io/hostname'
const peerAddressAnnotation = 'kubernetes.io/peer-advertise-address'

/** Time in seconds after which the lease of a server that does not renew it is deleted. */
const durationSeconds = 3600
const renewMs = 10_000
/** Interval in milliseconds between searches for expired leases. */
const collectMs = 3600 * 1000

export interface IdentityLeaseOptions {
  readonly client: LoopbackClient
  readonly serverId: string
  readonly hostname: string
  readonly clock: Clock
  readonly onError: (error: unknown) => void
}

/** The lease in `kube-system` that names a running API server. It is renewed every ten seconds, and deleted when the server stops. */
export class IdentityLease {
  readonly #options: IdentityLeaseOptions
  readonly #holder: string
  readonly #stop = new AbortController()
  #peerAddress: string | undefined
  readonly #running: Promise<void>[] = []

  constructor(options: IdentityLeaseOptions) {
    this.#options = options
    this.#holder = `${options.serverId}_${randomUUID()}`
  }

  /**
   * Replaces the lease of an earlier server with this name, and starts to renew it. `peerAddress` is where other API servers reach this one, such
   * as "10.0.0.1:6443". If it is undefined, they forward no requests to this server.
   */
  async start(peerAddress: string | undefined): Promise<void> {
    this.#peerAddress = peerAddress
    const leases = this.#getLeases()
    if (leases === undefined) return
    await this.#delete(leases)
    await this.#renew(leases)
    this.#running.push(this.#repeat(renewMs, () => this.#renew(leases)))
  }

  /** Deletes expired leases of other servers now and every hour. */
  collect(): void {
    const leases = this.#getLeases()
    if (leases === undefined) return
    const run = (): Promise<void> => this.#deleteExpired(leases)
    this.#running.push(run().then(() => this.#repeat(collectMs, run)))
  }

  /** Ends the renewal and deletes the lease. */
  async stop(): Promise<void> {
    this.#stop.abort()
    await Promise.all(this.#running)
    const leases = this.#getLeases()
    if (leases !== undefined) await this.#delete(leases)
  }

  #getLeases(): LoopbackResource<Lease> | undefined {
    return this.#options.client.resource<Lease>({ group: 'coordination.k8s.io', resource: 'leases' })
  }

  async #repeat(intervalMs: number, run: () => Promise<void>): Promise<void> {
    const { signal } = this.#stop
    for (;;) {
      // The delay varies, so that the servers of a cluster do not write at the same time.
      await pause(this.#options.clock, intervalMs * (1 + Math.random() * 0.04), { signal })
      if (signal.aborted) return
      await run()
    }
  }

  async #renew(leases: LoopbackResource<Lease>): Promise<void> {
    const { serverId, onError } = this.#options
    try {
      await leases
        .update(identityNamespace, serverId, (lease) => this.#renewLease(lease))
        .catch(async (error: unknown) => {
          if (!isApiError(error, 'NotFound')) throw error
          const metadata = { name: serverId, namespace: identityNamespace }
          await leases.create(identityNamespace, this.#renewLease({ metadata, spec: { holderIdentity: this.#holder } }))
        })
    } catch (error) {
      onError(error)
    }
  }

  #renewLease(lease: Lease): Lease {
    const { hostname, clock } = this.#options
    const peerAddress = this.#peerAddress
    const { labels, annotations } = lease.metadata
    return {
      ...lease,
      metadata: {
        ...lease.metadata,
        labels: { ...labels, [identityLabel.key]: identityLabel.value, [hostnameLabel]: hostname },
        ...(peerAddress !== undefined && { annotations: { ...annotations, [peerAddressAnnotation]: peerAddress } }),
      },
      spec: { ...lease.spec, leaseDurationSeconds: durationSeconds, renewTime: formatMicroTime(clock.now()) },
    }
  }

  async #delete(leases: LoopbackResource<Lease>): Promise<void> {
    try {
      await leases.delete(identityNamespace, this.#options.serverId)
    } catch (error) {
      if (!isApiError(error, 'NotFound')) this.#options.onError(error)
    }
  }

  async #deleteExpired(leases: LoopbackResource<Lease>): Promise<void> {
    const { clock, onError } = this.#options
    try {
      const { items } = await leases.list({ namespace: identityNamespace, predicate: identityPredicate })
      for (const { metadata } of items.filter((lease) => isExpired(lease, clock.now()))) {
        // The list may be old. The server may have renewed its lease in the meantime.
        const newest = await leases.get(identityNamespace, metadata.name!, { resourceVersion: '' })
        if (newest !== undefined && isExpired(newest, clock.now())) await leases.delete(identityNamespace, metadata.name!)
      }
    } catch (error) {
      if (!isApiError(error, 'NotFound')) onError(error)
    }
  }
}

/** Returns whether a lease has expired. Leases without times were not written by an API server, and count as expired. */
function isExpired({ spec }: DeepReadonly<Lease>, now: number): boolean {
  if (!spec?.renewTime || spec.leaseDurationSeconds === undefined) return true
  return toMillis(parseMicroTime(spec.renewTime)) + spec.leaseDurationSeconds * 1000 < now
}
