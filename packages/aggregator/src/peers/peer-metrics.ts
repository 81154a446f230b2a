import type { GroupVersionResource } from '@keelson/apimachinery'
import { createCounter } from '@keelson/apimachinery/metrics'
import type { MetricsRegistry } from '@keelson/apimachinery/metrics'

/** Reasons for which a peer's discovery could not be read, with kube-apiserver's names. */
export type DiscoveryFailure = 'lease_list' | 'hostport_resolution' | 'fetch_discovery'
/** Reasons for which a request could not be forwarded to a peer, with kube-apiserver's names. */
export type ForwardFailure = 'endpoint_resolution' | 'proxy_transport'

/** Metrics of requests to other API servers of the cluster. */
export interface PeerMetrics {
  /** Counts a forwarded request by the status of its answer. Discovery requests have no resource. */
  countForwarding(code: number, resource?: GroupVersionResource): void
  forwardFailed(type: ForwardFailure, resource: GroupVersionResource): void
  countDiscoveryFailure(type: DiscoveryFailure): void
}

const noResource: GroupVersionResource = { group: '', version: '', resource: '' }

/** Registers the metrics of peers under kube-apiserver's names. */
export function createPeerMetrics(registry: MetricsRegistry): PeerMetrics {
  const register = (name: string, help: string): ReturnType<typeof createCounter> =>
    registry.register(createCounter(`apiserver_${name}`, `[ALPHA] ${help}`))
  const forwarded = register(
    'rerouted_request_total',
    'Requests that were forwarded to another API server that serves their resource. Discovery requests have empty labels.',
  )
  const forwardErrors = register('peer_proxy_errors_total', 'Requests that could not be forwarded to another API server.')
  const discoveryErrors = register('peer_discovery_sync_errors_total', 'Failures to read the discovery documents of other API servers.')
  return {
    countForwarding: (code, { group, version, resource } = noResource) => {
      forwarded.with({ code: String(code), group, version, resource }).value++
    },
    forwardFailed: (type, { group, version, resource }) => {
      forwardErrors.with({ type, group, version, resource }).value++
    },
    countDiscoveryFailure: (type) => {
      discoveryErrors.with({ type }).value++
    },
  }
}
