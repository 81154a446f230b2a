import type { Service } from '@keelson/api/core/v1'
import type { EndpointSlice } from '@keelson/api/discovery/v1'
import { selectEveryField, getErrorMessage, quote, createSelectorFromLabels } from '@keelson/apimachinery'
import type { DeepReadonly } from '@keelson/apimachinery'
import type { LoopbackClient } from '@keelson/loopback'
import { joinHostAndPort } from '@keelson/outbound'
import type { OutboundClient, ServiceReference, ServiceResolver } from '@keelson/outbound'
import type { ApiServiceRecord } from '../apiservices/api-service-index.ts'
import type { Availability } from '../apiservices/conditions.ts'
import type { ServiceCheck } from './availability-controller.ts'

export interface ServiceCheckOptions {
  readonly client: LoopbackClient
  readonly resolver: ServiceResolver
  /** Returns the client for the server of an APIService. */
  readonly findClient: (name: string) => OutboundClient | undefined
}

const requestTimeoutMs = 5000
/** Number of requests of a check. One that succeeds is enough, because a service may have endpoints that fail. */
const attempts = 5
/** The response is a list of resources. Only its status matters, so the rest of a large one is not read. */
const maxBytes = 64 * 1024

/** Headers of the identity with which the aggregator checks other servers. It may read everything. */
export const checkerHeaders: Readonly<Record<string, string>> = {
  'X-Remote-User': 'system:kube-aggregator',
  'X-Remote-Group': 'system:masters',
}

export const serviceNameLabel = 'kubernetes.io/service-name'

/** Returns a function that checks whether the service of an APIService exists, has endpoints, and answers a discovery request. */
export function createServiceCheck(options: ServiceCheckOptions): (record: ApiServiceRecord) => Promise<ServiceCheck> {
  return async (record) => {
    const problem = await findObjectProblem(options.client, record.service!)
    if (problem !== undefined) return { availability: problem, isRepeated: false }
    const error = await findRequestProblem(options, record)
    if (error === undefined) return { availability: { status: 'True', reason: 'Passed', message: 'all checks passed' }, isRepeated: false }
    return { availability: { status: 'False', reason: 'FailedDiscoveryCheck', message: error.message }, isRepeated: true }
  }
}

/** Returns why the objects of a service make requests fail. Returns undefined if they do not. */
async function findObjectProblem(client: LoopbackClient, reference: ServiceReference): Promise<Availability | undefined> {
  const { namespace, name, port } = reference
  const at = `service/${name} in ${quote(namespace)}`
  const createProblem = (reason: string, message: string): Availability => ({ status: 'False', reason, message })
  const createAccessProblem = (reason: string, error: unknown): Availability => ({
    status: 'Unknown',
    reason,
    message: `${at} cannot be checked due to: ${getErrorMessage(error)}`,
  })
  let service: DeepReadonly<Service> | undefined
  try {
    service = await client.resource<Service>({ group: '', resource: 'services' })?.get(namespace, name)
  } catch (error) {
    return createAccessProblem('ServiceAccessError', error)
  }
  if (service === undefined) return createProblem('ServiceNotFound', `${at} is not present`)
  if ((service.spec?.type ?? 'ClusterIP') !== 'ClusterIP') return undefined
  const servicePort = service.spec?.ports?.find((candidate) => candidate.port === port)
  if (servicePort === undefined) return createProblem('ServicePortError', `${at} is not listening on port ${port}`)
  let slices: readonly DeepReadonly<EndpointSlice>[]
  try {
    slices = await listSlices(client, reference)
  } catch (error) {
    return createAccessProblem('EndpointsAccessError', error)
  }
  if (slices.length === 0) return createProblem('EndpointsNotFound', `cannot find endpointslices for ${at}`)
  const { name: portName = '' } = servicePort
  if (slices.some((slice) => hasReadyEndpoint(slice, portName))) return undefined
  return createProblem('MissingEndpoints', `endpointslices for ${at} have no addresses with port name ${quote(portName)}`)
}

async function listSlices(client: LoopbackClient, { namespace, name }: ServiceReference): Promise<readonly DeepReadonly<EndpointSlice>[]> {
  const slices = await client.resource<EndpointSlice>({ group: 'discovery.k8s.io', resource: 'endpointslices' })?.list({
    namespace,
    resourceVersion: '0',
    predicate: { labels: createSelectorFromLabels({ [serviceNameLabel]: name }), fields: selectEveryField() },
  })
  return slices?.items ?? []
}

function hasReadyEndpoint({ endpoints, ports }: DeepReadonly<EndpointSlice>, portName: string): boolean {
  const isReady = (endpoints ?? []).some(({ conditions }) => conditions?.ready ?? true)
  return isReady && (ports ?? []).some(({ name, port }) => name === portName && port !== undefined)
}

/** Requests the list of resources several times at once. Returns undefined as soon as one request succeeds, otherwise the last error. */
async function findRequestProblem(options: ServiceCheckOptions, record: ApiServiceRecord): Promise<Error | undefined> {
  let lastError: Error | undefined
  const requests = Array.from({ length: attempts }, async () => {
    try {
      await requestDiscovery(options, record)
    } catch (error) {
      lastError = error as Error
      throw error
    }
  })
  try {
    await Promise.any(requests)
    return undefined
  } catch {
    return lastError
  }
}

async function requestDiscovery(
  { resolver, findClient }: ServiceCheckOptions,
  { name, group, version, service }: ApiServiceRecord,
): Promise<void> {
  const destination = await resolver.resolve(service!)
  const path = group === '' ? `/api/${version}` : `/apis/${group}/${version}`
  const url = `https://${joinHostAndPort(destination)}${path}`
  const client = findClient(name)
  if (client === undefined) throw new Error(`APIService ${quote(name)} is not registered`)
  const answer = await client.request({ path, headers: checkerHeaders, timeoutMs: requestTimeoutMs, maxBytes })
  const { status } = answer
  if (status !== undefined && (status < 200 || status >= 300)) {
    throw new Error(`failing or missing response from ${url}: bad status from ${url}: ${status}`)
  }
  if (answer.failed && answer.error.kind !== 'tooLarge') throw new Error(`failing or missing response from ${url}: ${answer.message}`)
}
