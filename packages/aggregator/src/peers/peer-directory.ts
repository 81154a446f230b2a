import type { Lease } from '@keelson/api/coordination/v1'
import { isJsonObject, getErrorMessage } from '@keelson/apimachinery'
import type { Clock, DeepReadonly, GroupVersionResource } from '@keelson/apimachinery'
import { followResource, WorkQueue } from '@keelson/loopback'
import type { LoopbackClient, WorkQueueMetrics } from '@keelson/loopback'
import type { Destination } from '@keelson/outbound'
import { identityNamespace, identityPredicate } from './identity-lease.ts'
import type { DiscoveredGroup } from './merge-discovery.ts'
import type { PeerClients } from './peer-clients.ts'
import type { PeerEndpoints } from './peer-endpoints.ts'
import type { PeerMetrics } from './peer-metrics.ts'

export interface PeerDirectoryOptions {
  readonly serverId: string
  readonly client: LoopbackClient
  readonly endpoints: Pick<PeerEndpoints, 'find'>
  readonly clients: PeerClients
  /** Whether a group version ("apps/v1") is never taken from peers. */
  readonly isExcluded: (groupVersion: string) => boolean
  readonly metrics: PeerMetrics
  readonly queueMetrics?: WorkQueueMetrics
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly onError: (error: unknown) => void
}

/** What one peer serves. */
interface Peer {
  /** Resources by group version: "batch/v1" → "jobs", … */
  readonly resources: ReadonlyMap<string, ReadonlySet<string>>
  /** Named groups in the order of the peer. The core group is left out, because `/apis` does not list it. */
  readonly groups: readonly DiscoveredGroup[]
}

const accept =
  'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList;profile=nopeer,application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'
const timeoutMs = 60_000
/** Maximum size of a discovery document in bytes. */
const maxDocumentBytes = 32 * 1024 * 1024

/**
 * The other API servers of the cluster and the resources that they serve. Their identity leases are followed. When one appears, disappears or
 * gets another holder, the discovery documents of all of them are read again.
 */
export class PeerDirectory {
  readonly #options: PeerDirectoryOptions
  readonly #queue: WorkQueue
  /** Holders of the leases of peers, by server name. */
  readonly #holders = new Map<string, string>()
  #peers: ReadonlyMap<string, Peer> = new Map()
  #generation = 0

  constructor(options: PeerDirectoryOptions) {
    this.#options = options
    const { clock, onError, queueMetrics, signal } = options
    this.#queue = new WorkQueue({
      name: 'peer-discovery-cache-sync',
      workers: 1,
      clock,
      process: () => this.#readAll(),
      onError: (_key, error) => onError(error),
      ...(queueMetrics && { metrics: queueMetrics }),
    })
    signal.addEventListener('abort', () => void this.#queue[Symbol.asyncDispose]())
  }

  /** Number that changes with each change of the result of `getGroups`. */
  get generation(): number {
    return this.#generation
  }

  /** Starts to follow the leases. Resolves when the existing ones are known. */
  start(): Promise<void> {
    const { client, clock, signal, onError } = this.#options
    const leases = client.resource<Lease>({ group: 'coordination.k8s.io', resource: 'leases' })
    if (leases === undefined) return Promise.resolve()
    return new Promise((resolve) => {
      signal.addEventListener('abort', () => resolve(), { once: true })
      void followResource<Lease>(
        leases,
        {
          replace: (objects) => {
            const current = new Map(objects.map((stored) => [stored.object().metadata.name!, stored.object()]))
            for (const name of this.#holders.keys()) if (!current.has(name)) this.#set(name, undefined)
            for (const [name, lease] of current) this.#set(name, lease)
            resolve()
          },
          apply: ({ type, object: stored }) => {
            const lease = stored.object()
            this.#set(lease.metadata.name!, type === 'DELETED' ? undefined : lease)
          },
        },
        { namespace: identityNamespace, predicate: identityPredicate, clock, signal, onError },
      )
    })
  }

  /** Call this after the excluded group versions have changed. */
  refilter(): void {
    this.#generation++
  }

  /** Returns the names of the peers that serve a resource. */
  findServers({ group, version, resource }: GroupVersionResource): readonly string[] {
    const groupVersion = `${group}/${version}`
    const names: string[] = []
    for (const [name, { resources }] of this.#peers) if (resources.get(groupVersion)?.has(resource) === true) names.push(name)
    return names.length > 0 && this.#options.isExcluded(groupVersion) ? [] : names
  }

  /** Returns the named groups of all peers, by server name, without the excluded versions. */
  getGroups(): ReadonlyMap<string, readonly DiscoveredGroup[]> {
    const keep = (group: DiscoveredGroup): readonly DiscoveredGroup[] => {
      const name = group.metadata.name ?? ''
      const versions = (group.versions ?? []).filter(({ version }) => !this.#options.isExcluded(`${name}/${version}`))
      return versions.length === 0 ? [] : versions.length === group.versions?.length ? [group] : [{ ...group, versions }]
    }
    return new Map(Array.from(this.#peers, ([name, { groups }]) => [name, groups.flatMap(keep)]))
  }

  #set(name: string, lease: DeepReadonly<Lease> | undefined): void {
    if (name === this.#options.serverId) return
    const holder = lease?.spec?.holderIdentity ?? undefined
    if (this.#holders.get(name) === holder) return
    if (holder === undefined) {
      this.#holders.delete(name)
      // A server that has stopped gets no more requests, even while another one is slow to send its documents.
      this.#peers = new Map([...this.#peers].filter(([other]) => other !== name))
      this.#generation++
    } else this.#holders.set(name, holder)
    this.#queue.add('peers')
  }

  async #readAll(): Promise<void> {
    const names = [...this.#holders.keys()]
    const results = await Promise.allSettled(names.map((name) => this.#readPeer(name)))
    const peers = new Map<string, Peer>()
    for (const [i, result] of results.entries()) {
      if (result.status === 'fulfilled' && this.#holders.has(names[i]!)) peers.set(names[i]!, result.value)
    }
    this.#peers = peers
    this.#generation++
    // The queue tries again. Right after its start, a server has an identity lease but no address yet.
    const failure = results.find(({ status }) => status === 'rejected')
    if (failure?.status === 'rejected') throw failure.reason
  }

  async #readPeer(name: string): Promise<Peer> {
    const { endpoints, metrics } = this.#options
    let address: Destination
    try {
      address = await endpoints.find(name)
    } catch (error) {
      metrics.countDiscoveryFailure('hostport_resolution')
      throw new Error(`failed to get host port info from identity lease for server ${name}: ${getErrorMessage(error)}`, { cause: error })
    }
    const resources = new Map<string, Set<string>>()
    const groups = new Map<string, DiscoveredGroup>()
    for (const path of ['/api', '/apis']) {
      for (const group of await this.#readDocument(address, path)) {
        const groupName = group.metadata.name ?? ''
        for (const { version, resources: listed = [] } of group.versions ?? []) {
          resources.set(`${groupName}/${version}`, new Set(listed.map(({ resource }) => resource)))
        }
        if (groupName !== '' && !groups.has(groupName)) groups.set(groupName, group)
      }
    }
    return { resources, groups: [...groups.values()] }
  }

  async #readDocument(address: Destination, path: string): Promise<readonly DiscoveredGroup[]> {
    const { clients, metrics } = this.#options
    try {
      const { status, body } = await clients.get(address, { path, accept, timeoutMs, maxBytes: maxDocumentBytes })
      metrics.countForwarding(status)
      if (status !== 200) throw new Error(`discovery request failed with status: ${status}`)
      const document: unknown = JSON.parse(body.toString('utf8'))
      return listGroups(document)
    } catch (error) {
      metrics.countDiscoveryFailure('fetch_discovery')
      throw error
    }
  }
}

/** Returns the groups of a discovery document. Throws for documents of another form. */
function listGroups(document: unknown): readonly DiscoveredGroup[] {
  const { kind, apiVersion, items } = (document ?? {}) as { kind?: unknown; apiVersion?: unknown; items?: unknown }
  if (kind !== 'APIGroupDiscoveryList' || apiVersion !== 'apidiscovery.k8s.io/v2' || !Array.isArray(items)) {
    throw new Error('error decoding discovery response: it is no APIGroupDiscoveryList of apidiscovery.k8s.io/v2')
  }
  const isNamed = (value: unknown, member: string): boolean =>
    isJsonObject(value as never) && typeof (value as Record<string, unknown>)[member] === 'string'
  const isValid = items.every(
    (group: DiscoveredGroup) =>
      isJsonObject(group?.metadata as never) &&
      (group.versions ?? []).every(
        (version) => isNamed(version, 'version') && (version.resources ?? []).every((resource) => isNamed(resource, 'resource')),
      ),
  )
  if (!isValid) throw new Error('error decoding discovery response: a group, version or resource has no name')
  return items as readonly DiscoveredGroup[]
}
