import { hostname as readHostname } from 'node:os'
import { createServerId, IdentityLease, PeerEndpoints } from '@keelson/aggregator'
import type { Endpoints } from '@keelson/api/core/v1'
import type { LoopbackClient } from '@keelson/loopback'
import { joinHostAndPort } from '@keelson/outbound'
import type { Destination } from '@keelson/outbound'
import { describeError } from '@keelson/server'
import type { Storage } from '@keelson/storagebackend'
import { advertiseAddress, findEndpointAddress } from './addresses.ts'
import { ServerLeases } from './bootstrap/server-leases.ts'
import type { GenericConfig } from './build-generic-config.ts'
import type { LoggedOptions } from './chain.ts'
import type { FeatureGates } from './feature-gates.ts'
import { openSystemStorage } from './system-storage.ts'

interface PresenceParts {
  readonly options: LoggedOptions
  readonly config: GenericConfig
  readonly client: LoopbackClient
  readonly features: FeatureGates
}

/**
 * Tells other API servers on the store that this one runs, and where: with a lease in the API and with an entry in the store. A server without a
 * port is not present.
 */
export class ServerPresence {
  /** Name of this server in the leases. */
  readonly serverId: string
  /** The addresses of all servers. Undefined if requests are not forwarded between servers. */
  readonly endpoints: PeerEndpoints | undefined
  readonly #dependencies: PresenceParts
  readonly #storage: Storage<Endpoints> | undefined
  readonly #lease: IdentityLease | undefined
  readonly #started = { lease: false, endpoints: false }
  #port: number | undefined

  constructor(dependencies: PresenceParts) {
    const { options, config, client, features } = dependencies
    const { clock } = config
    const { hostname = readHostname() } = options.peers ?? {}
    this.#dependencies = dependencies
    const serverId = (this.serverId = createServerId(hostname))
    const onError = (error: unknown): void => options.log(0, 'Publishing this server failed', { err: describeError(error) })
    if (features.isEnabled('APIServerIdentity')) this.#lease = new IdentityLease({ client, serverId, hostname, clock, onError })
    if (features.isEnabled('UnknownVersionInteroperabilityProxy')) {
      const { storage, prefix } = openSystemStorage<Endpoints>(config, {
        resource: 'apiServerPeerIPInfo',
        prefix: 'peerserverleases',
        kind: 'Endpoints',
      })
      this.#storage = storage
      this.endpoints = new PeerEndpoints({ leases: new ServerLeases(storage, prefix), serverId, clock, onError })
    }
  }

  /** True if the server has an identity lease, which the feature APIServerIdentity enables. */
  get hasLease(): boolean {
    return this.#lease !== undefined
  }

  /** Creates the lease when the server has a port. */
  async startLease(): Promise<void> {
    this.#started.lease = true
    await this.#publishLease()
  }

  /** Deletes expired leases of other servers. */
  collectLeases(): void {
    if (this.#port !== undefined) this.#lease?.collect()
  }

  /** Lists this server when it has a port. */
  startEndpoints(): void {
    this.#started.endpoints = true
    this.#publishEndpoints()
  }

  async listenOn(port: number): Promise<void> {
    this.#port = port
    if (this.#started.lease) await this.#publishLease()
    if (this.#started.endpoints) this.#publishEndpoints()
  }

  async stop(): Promise<void> {
    await Promise.all([this.endpoints?.stop(), this.#port === undefined ? undefined : this.#lease?.stop()])
  }

  async close(): Promise<void> {
    await this.#storage?.close()
  }

  async #publishLease(): Promise<void> {
    if (this.#port === undefined) return
    await this.#lease?.start(this.endpoints === undefined ? undefined : joinHostAndPort(this.#address(this.#port)))
  }

  #publishEndpoints(): void {
    if (this.#port !== undefined) this.endpoints?.start(this.#address(this.#port))
  }

  /** Returns the address at which other API servers reach this one. */
  #address(port: number): Destination {
    const { serving, peers } = this.#dependencies.options
    if (peers?.advertiseAddress !== undefined && peers.advertisePort !== undefined) {
      return { host: peers.advertiseAddress, port: peers.advertisePort }
    }
    return { host: findEndpointAddress(serving) ?? advertiseAddress(serving), port }
  }
}
