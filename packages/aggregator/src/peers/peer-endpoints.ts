import type { Endpoints } from '@keelson/api/core/v1'
import { pause } from '@keelson/apimachinery'
import type { Clock, DeepReadonly } from '@keelson/apimachinery'
import type { Destination } from '@keelson/outbound'

/** Objects in the store that expire unless their server renews them. Each is an Endpoints object with the addresses of one server. */
export interface ExpiringEndpoints {
  list(): Promise<readonly DeepReadonly<Endpoints>[]>
  renew(
    name: string,
    content: { readonly labels?: Record<string, string>; readonly subsets: NonNullable<Endpoints['subsets']> },
  ): Promise<void>
  remove(name: string): Promise<void>
}

export interface PeerEndpointsOptions {
  readonly leases: ExpiringEndpoints
  readonly serverId: string
  readonly clock: Clock
  readonly onError: (error: unknown) => void
}

const identityLabel = 'apiserverIdentity'
const renewMs = 10_000

/** The addresses of the API servers on one store, with the keys and values that kube-apiserver uses. */
export class PeerEndpoints {
  readonly #options: PeerEndpointsOptions
  readonly #stop = new AbortController()
  #running: Promise<void> | undefined

  constructor(options: PeerEndpointsOptions) {
    this.#options = options
  }

  /** Lists this server and renews its entry every ten seconds. `address` is where other API servers reach this one. */
  start(address: Destination): void {
    this.#running ??= this.#repeat(address)
  }

  /** Removes the entry of this server. Waits for the store for at most two intervals. */
  async stop(): Promise<void> {
    const { leases, serverId, clock, onError } = this.#options
    this.#stop.abort()
    if (this.#running === undefined) return
    const removed = this.#running.then(() => leases.remove(serverId)).catch(onError)
    await Promise.race([removed, pause(clock, 2 * renewMs)])
  }

  /** Returns the address of a server. Throws kube-apiserver's error if it has no entry. */
  async find(serverId: string): Promise<Destination> {
    for (const { metadata, subsets } of await this.#options.leases.list()) {
      if (metadata.labels?.[identityLabel] !== serverId) continue
      const [{ addresses = [], ports = [] } = {}] = subsets ?? []
      if (addresses[0] !== undefined && ports[0] !== undefined) return { host: addresses[0].ip, port: ports[0].port }
    }
    throw new Error('missing port in address')
  }

  async #repeat({ host, port }: Destination): Promise<void> {
    const { leases, serverId, clock, onError } = this.#options
    const { signal } = this.#stop
    const content = {
      labels: { [identityLabel]: serverId },
      subsets: [{ addresses: [{ ip: host }], ports: [{ name: 'https', port, protocol: 'TCP' }] }],
    }
    while (!signal.aborted) {
      await leases.renew(serverId, content).catch(onError)
      await pause(clock, renewMs, { signal })
    }
  }
}
