import type { PeerProxy } from '@keelson/aggregator'
import { createCounter } from '@keelson/apimachinery/metrics'
import type { MetricsRegistry } from '@keelson/apimachinery/metrics'
import type { DiscoveryRegistry, PeerGroups } from '@keelson/http-installer'
import type { LoopbackClient, WorkQueueMetrics } from '@keelson/loopback'
import type { Server } from '@keelson/server'
import type { GenericConfig } from './build-generic-config.ts'
import type { LoggedOptions } from './chain.ts'
import { ConfigurationError } from './configuration-error.ts'
import { createFileReader } from './kubelet-tls.ts'
import type { ServerPresence } from './server-presence.ts'

interface PeerProxyParts {
  readonly options: LoggedOptions
  readonly config: GenericConfig
  readonly client: LoopbackClient
  readonly discovery: DiscoveryRegistry
  readonly presence: ServerPresence
  readonly server: Pick<Server, 'stopping'>
  readonly queueMetrics: WorkQueueMetrics
}

/**
 * Creates the forwarding of requests to other API servers, and merges their groups into aggregated discovery. Resolves to undefined if the CAs of
 * the other servers are not configured. Throws `ConfigurationError` for settings that cannot be used.
 */
export async function buildPeerProxy(dependencies: PeerProxyParts): Promise<PeerProxy | undefined> {
  const { options, config, client, discovery, presence, server, queueMetrics } = dependencies
  const { serverId, endpoints } = presence
  const { authorityFile } = options.peers ?? {}
  if (endpoints === undefined) return undefined
  const count = createDiscoveryCounter(config.metrics)
  discovery.peers = { generation: 0, count }
  if (authorityFile === undefined) return undefined
  const read = config.certificates.proxyClient
  if (read === undefined) throw new ConfigurationError('error building peer proxy handler, proxy-cert-file not specified')
  const readAuthorities = createFileReader(authorityFile)
  await readAuthorities().catch((error: unknown) => {
    throw new ConfigurationError(`the CAs of other API servers cannot be read: ${(error as Error).message}`, { cause: error })
  })
  const { mergeDiscovery, PeerClients, PeerProxy: Proxy, ProxyCertificate } = await import('@keelson/aggregator/peers')
  const { clock, dialer, metrics } = config
  let lastProblem = ''
  const onError = (text: string): void => {
    // A peer that cannot be reached is tried again often. The same problem is logged once.
    if (text !== lastProblem) options.log(0, 'Another API server cannot be used', { err: (lastProblem = text) })
  }
  const clients = new PeerClients({ dialer, certificate: new ProxyCertificate({ read, clock, onError }), readAuthorities })
  server.stopping.addEventListener('abort', () => clients[Symbol.dispose]())
  const peers = new Proxy({
    serverId,
    client,
    endpoints,
    clients,
    isServed: ({ group, version, resource }) =>
      discovery.group(group)?.versions.some((each) => each.version === version && each.resources.some(({ name }) => name === resource)) ===
      true,
    metrics,
    queueMetrics,
    clock,
    stopping: server.stopping,
    onError,
  })
  discovery.peers = {
    get generation() {
      return peers.generation
    },
    merge: (groups) => mergeDiscovery({ serverId, groups: groups as Parameters<typeof mergeDiscovery>[0]['groups'] }, peers.getGroups()),
    count,
  }
  return peers
}

/** Registers the metrics of merged discovery under kube-apiserver's names. Returns the function that counts. */
function createDiscoveryCounter(metrics: MetricsRegistry): PeerGroups['count'] {
  const register = (name: string, help: string) => metrics.register(createCounter(`aggregator_discovery_${name}_total`, `[ALPHA] ${help}`))
  const counters = {
    hit: register('peer_aggregated_cache_hits', 'Discovery documents of all API servers that were served from the cache.'),
    miss: register('peer_aggregated_cache_misses', 'Discovery documents of all API servers that were made.'),
    nopeer: register('nopeer_requests', 'Requests for the discovery of this API server only.'),
  }
  return (event) => void counters[event].with({}).value++
}
