import type { EndpointAddress, Endpoints, EndpointSubset, Pod, Service } from '@keelson/api/core/v1'
import { isApiError, newBadRequest, newServiceUnavailable } from '@keelson/apimachinery'
import type { DeepReadonly, RequestContext } from '@keelson/apimachinery'
import { readResult } from '@keelson/registry'
import type { Connecter, DialRemote, Getter, RESTStorage } from '@keelson/registry'
import { getProxiedPath, describeProxy } from './proxy-facts.ts'
import { parseSchemeNamePort } from './scheme-name-port.ts'

export interface ServiceProxyParts {
  readonly services: Getter
  readonly endpoints: Getter
  readonly pods: Getter
  readonly random?: () => number
  readonly dial?: DialRemote | undefined
}

/** Creates services/NAME/proxy, which forwards requests to one of the pods of a service. */
export function createServiceProxySubresource(clients: ServiceProxyParts): RESTStorage & Connecter {
  return {
    ...describeProxy('ServiceProxyOptions', { namespaced: true }),
    async connect(context, id, options) {
      const target = parseSchemeNamePort(id)
      if (target === undefined) throw newBadRequest(`invalid service request ${JSON.stringify(id)}`)
      const port = await resolvePortName(clients.services, context, target)
      const { subsets } = readResult<Endpoints>(await clients.endpoints.get(context, target.name, {}))
      if ((subsets ?? []).length === 0) throw createNoEndpointsError(target.name)
      const endpoint = await pickAddress(clients, context, subsets ?? [], port)
      if (endpoint === undefined) throw createNoEndpointsError(id)
      const destination = { scheme: target.scheme, ...endpoint, path: getProxiedPath(options), query: '' }
      const { dial } = clients
      return { remote: { ...destination, tls: { verify: false }, ...(dial && { dial }) }, passes: 'proxy' }
    },
  }
}

/** Returns the port name for the lookup in Endpoints. If the request has a port number, the name is that of the service's port. */
async function resolvePortName(
  services: Getter,
  context: RequestContext,
  { name, port }: { readonly name: string; readonly port: string },
): Promise<string> {
  const number = parsePortNumber(port)
  if (number === undefined) return port
  const { spec } = readResult<Service>(await services.get(context, name, {}))
  const servicePort = (spec?.ports ?? []).find((declared) => BigInt(declared.port) === number)
  if (servicePort === undefined) throw newServiceUnavailable(`no service port ${number} found for service ${JSON.stringify(name)}`)
  return servicePort.name ?? ''
}

/** Parses a number like Go parses an int64. Returns undefined for a port name. */
function parsePortNumber(text: string): bigint | undefined {
  if (!/^[+-]?0*\d{1,19}$/.test(text)) return undefined
  const number = BigInt(text)
  return BigInt.asIntN(64, number) === number ? number : undefined
}

async function pickAddress(
  { pods, random = Math.random }: ServiceProxyParts,
  context: RequestContext,
  subsets: readonly DeepReadonly<EndpointSubset>[],
  port: string,
): Promise<{ readonly host: string; readonly port: string } | undefined> {
  for (const { addresses = [], ports = [] } of rotateRandomly(subsets, random)) {
    for (const { name = '', port: number } of ports) {
      if (name !== port) continue
      for (const address of rotateRandomly(addresses, random)) {
        if (await isPodAddress(pods, context, address)) return { host: address.ip, port: String(number) }
      }
    }
  }
  return undefined
}

/** Returns whether the address belongs to a pod. Clients that write endpoints must not make this server connect to other addresses. */
async function isPodAddress(pods: Getter, context: RequestContext, { ip, targetRef }: DeepReadonly<EndpointAddress>): Promise<boolean> {
  if (targetRef === undefined || (targetRef.namespace ?? '') !== context.namespace) return false
  try {
    const { status } = readResult<Pod>(await pods.get(context, targetRef.name ?? '', {}))
    return (status?.podIPs ?? []).some((podIP) => podIP.ip === ip)
  } catch (error) {
    if (isApiError(error)) return false
    throw error
  }
}

/** Returns the list rotated by a random offset. */
function rotateRandomly<T>(items: readonly T[], random: () => number): readonly T[] {
  const startIndex = Math.floor(random() * items.length)
  return [...items.slice(startIndex), ...items.slice(0, startIndex)]
}

function createNoEndpointsError(name: string): Error {
  return newServiceUnavailable(`no endpoints available for service ${JSON.stringify(name)}`)
}
