import type { Service } from '@keelson/api/core/v1'
import type { EndpointSlice } from '@keelson/api/discovery/v1'
import { selectEveryField, newServiceUnavailable, createSelectorFromLabels } from '@keelson/apimachinery'
import type { DeepReadonly } from '@keelson/apimachinery'
import type { LoopbackClient } from '@keelson/loopback'
import type { Destination, ServiceReference, ServiceResolver } from '@keelson/outbound'

export interface ServiceResolverOptions {
  /** Returns the client of the server's own objects; undefined until the server has started. */
  readonly getClient: () => LoopbackClient | undefined
  /** Returns the address of this server, to which `kubernetes.default.svc:443` resolves. Default: that service resolves like others. */
  readonly apiServer?: () => Destination | undefined
  /** Whether to resolve to a ready endpoint, for servers that cannot reach cluster IPs. Default: to the cluster IP. */
  readonly toEndpoints?: boolean
  /** Returns a number in [0, 1), which picks an endpoint. */
  readonly random?: () => number
}

/**
 * Creates a resolver of services for outbound requests of the server, for example to webhooks. It reads cached objects. Cluster
 * IPs are stable: the caller may keep one until an event of the same watch cache changes the service.
 */
export function createServiceResolver(options: ServiceResolverOptions): ServiceResolver {
  const { getClient, apiServer, toEndpoints = false, random = Math.random } = options
  return {
    isStable: !toEndpoints,
    async resolve(reference) {
      const { namespace, name, port } = reference
      const address = namespace === 'default' && name === 'kubernetes' && port === 443 ? apiServer?.() : undefined
      if (address !== undefined) return address
      const service = await getClient()
        ?.resource<Service>({ group: '', resource: 'services' })
        ?.get(namespace, name, { resourceVersion: '0' })
      if (service === undefined) throw new Error(`service ${JSON.stringify(name)} not found`)
      if (!toEndpoints) return getClusterAddress(service, reference)
      const slices = await getClient()
        ?.resource<EndpointSlice>({ group: 'discovery.k8s.io', resource: 'endpointslices' })
        ?.list({
          namespace,
          resourceVersion: '0',
          predicate: { labels: createSelectorFromLabels({ 'kubernetes.io/service-name': name }), fields: selectEveryField() },
        })
      return pickEndpointAddress(service, slices?.items ?? [], { reference, random })
    },
  }
}

const routed: ReadonlySet<string> = new Set(['ClusterIP', 'NodePort', 'LoadBalancer'])

function getClusterAddress({ spec = {}, metadata }: DeepReadonly<Service>, { port }: ServiceReference): Destination {
  const { type = 'ClusterIP', clusterIP = '', externalName = '' } = spec
  if (type === 'ClusterIP' && clusterIP === 'None') throw new Error('cannot route to service with ClusterIP "None"')
  if (type === 'ExternalName') return { host: externalName, port }
  if (!routed.has(type)) throw new Error(`unsupported service type ${JSON.stringify(type)}`)
  return { host: clusterIP, port: findPort(spec, { name: metadata.name ?? '', port }).port }
}

type ServiceSpec = NonNullable<DeepReadonly<Service>['spec']>

function findPort({ ports = [] }: ServiceSpec, { name, port }: { readonly name: string; readonly port: number }) {
  const matchingPort = (ports ?? []).find((each) => each.port === port)
  if (matchingPort === undefined) throw newServiceUnavailable(`no service port ${port} found for service ${JSON.stringify(name)}`)
  return matchingPort
}

function pickEndpointAddress(
  { spec = {} }: DeepReadonly<Service>,
  slices: readonly DeepReadonly<EndpointSlice>[],
  { reference, random }: { readonly reference: ServiceReference; readonly random: () => number },
): Destination {
  const { type = 'ClusterIP', ipFamilies } = spec
  if (!routed.has(type)) throw new Error(`unsupported service type ${JSON.stringify(type)}`)
  const { name: portName = '' } = findPort(spec, reference)
  // Slices of the primary IP family come first. Within a family, the order is random.
  const primary = ipFamilies?.[0]
  const ranked = slices
    .map((slice) => ({ slice, rank: (slice.addressType === primary ? 0 : 1) + random() }))
    .toSorted((a, b) => a.rank - b.rank)
  for (const { slice } of ranked) {
    const port = (slice.ports ?? []).find((each) => (each.name ?? '') === portName && each.port !== undefined)?.port
    const endpoints = slice.endpoints ?? []
    if (port === undefined) continue
    const offset = Math.floor(random() * endpoints.length)
    for (let i = 0; i < endpoints.length; i++) {
      const { conditions, addresses } = endpoints[(i + offset) % endpoints.length]!
      const [host] = addresses ?? []
      if (host !== undefined && conditions?.ready !== false) return { host, port }
    }
  }
  throw newServiceUnavailable(`no endpoints available for service ${JSON.stringify(reference.name)}`)
}
