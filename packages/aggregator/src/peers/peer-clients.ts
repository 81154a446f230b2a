import { joinHostAndPort, OutboundError } from '@keelson/outbound'
import type { Destination, StreamDialer } from '@keelson/outbound'
import type { Passage, UpgradePassage } from '@keelson/http-installer'
import { forwardRequest } from '../proxy/forward-request.ts'
import { forwardUpgrade } from '../proxy/forward-upgrade.ts'
import type { ProxyCertificate } from '../proxy/proxy-certificate.ts'
import { addUserHeaders } from '../proxy/request-headers.ts'
import { SharedClient } from '../proxy/target-clients.ts'
import type { LeasedClient } from '../proxy/target-clients.ts'

export interface PeerClientsOptions {
  readonly dialer: StreamDialer
  /** Certificate with which this server identifies itself to its peers. */
  readonly certificate: Pick<ProxyCertificate, 'get'>
  /** Reads the CAs of the peers' serving certificates, in PEM. */
  readonly readAuthorities: () => Promise<string>
}

export interface PeerRequest {
  readonly path: string
  readonly accept: string
  readonly timeoutMs: number
  readonly maxBytes: number
}

/** Header of a request that a peer has forwarded. It is served locally in any case, so that requests never go round in circles. */
export const peerProxiedHeader = 'x-kubernetes-peer-proxied'
const peerProxied = ['X-Kubernetes-Peer-Proxied', 'true']
/** The name in the serving certificate of every API server. */
const serverName = 'kubernetes.default.svc'
/** User of this server's own requests to peers. */
const apiServerUser = { name: 'system:apiserver', uid: 'system:apiserver', groups: ['system:authenticated'] }
/** Maximum number of peers with open connections. More than that lose the client that was added first. */
const maxPeers = 100

/** The HTTP clients for the other API servers of the cluster, by address. */
export class PeerClients implements Disposable {
  readonly #options: PeerClientsOptions
  readonly #clients = new Map<string, SharedClient>()
  #pair: Awaited<ReturnType<ProxyCertificate['get']>>
  #authorities = ''

  constructor(options: PeerClientsOptions) {
    this.#options = options
  }

  /** Sends a request of this server itself. Rejects with an `OutboundError` if there is no complete answer. */
  async get(address: Destination, { path, accept, timeoutMs, maxBytes }: PeerRequest): Promise<{ status: number; body: Buffer }> {
    const leased = await this.#lease(address)
    try {
      const list = [...peerProxied, 'Accept', accept]
      addUserHeaders(list, apiServerUser)
      const headers = Object.fromEntries(list.flatMap((name, i) => (i % 2 === 0 ? [[name, list[i + 1]!]] : [])))
      const answer = await leased.client.request({ path, headers, timeoutMs, maxBytes })
      if (answer.failed) throw new OutboundError(answer.error.kind, answer.message, { cause: answer.error })
      return answer
    } finally {
      leased.close()
    }
  }

  /** Forwards the request of a client. Rejects with an `OutboundError` if there is no answer. */
  async forward(passage: Passage, address: Destination): Promise<void> {
    const leased = await this.#lease(address)
    const { upgrade } = passage.exchange
    try {
      if (upgrade === undefined) await forwardRequest(passage, leased, { rejectRedirects: false, addedHeaders: peerProxied })
      else await forwardUpgrade({ ...passage, upgrade } satisfies UpgradePassage, leased, peerProxied)
    } finally {
      leased.close()
    }
  }

  [Symbol.dispose](): void {
    this.#retireAll()
  }

  async #lease(address: Destination): Promise<LeasedClient> {
    const { certificate, readAuthorities, dialer } = this.#options
    const [pair, authorities] = await Promise.all([certificate.get(), this.#readAuthorities(readAuthorities)])
    if (pair !== this.#pair || authorities !== this.#authorities) {
      this.#pair = pair
      this.#authorities = authorities
      this.#retireAll()
    }
    const authority = joinHostAndPort(address)
    let shared = this.#clients.get(authority)
    if (shared === undefined) {
      if (this.#clients.size >= maxPeers) this.#retireOldest()
      const tls = { serverName, authorities, ...(pair && { certificate: pair.certificate, key: pair.key }) }
      shared = new SharedClient(dialer.client({ url: `https://${authority}`, network: 'controlplane', tls }), authority)
      this.#clients.set(authority, shared)
    }
    return shared.lease()
  }

  /** Returns the CAs. If they cannot be read, the previous ones stay in use. */
  async #readAuthorities(read: () => Promise<string>): Promise<string> {
    try {
      return await read()
    } catch (error) {
      if (this.#authorities !== '') return this.#authorities
      throw new OutboundError('tls', `the CAs of the other API servers cannot be read: ${(error as Error).message}`, { cause: error })
    }
  }

  #retireOldest(): void {
    const [oldest] = this.#clients
    if (oldest === undefined) return
    this.#clients.delete(oldest[0])
    oldest[1].retire()
  }

  #retireAll(): void {
    for (const client of this.#clients.values()) client.retire()
    this.#clients.clear()
  }
}
