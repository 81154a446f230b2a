import type { Pod } from '@keelson/api/core/v1'
import { newBadRequest } from '@keelson/apimachinery'
import { lookUpHost } from '@keelson/outbound'
import type { LookUpHost } from '@keelson/outbound'
import { readResult } from '@keelson/registry'
import type { Connecter, DialRemote, Getter, RESTStorage } from '@keelson/registry'
import { isGlobalUnicast } from '../proxy/global-unicast.ts'
import { getProxiedPath, describeProxy } from '../proxy/proxy-facts.ts'
import { parseSchemeNamePort } from '../proxy/scheme-name-port.ts'
import { createServiceProxySubresource } from '../proxy/service-proxy.ts'
import { createKubeletClient } from './kubelet-client.ts'
import type { KubeletClient, KubeletOptions } from './kubelet-client.ts'
import { logSubresource } from './pod-log.ts'
import { attachSubresource, execSubresource, createPortForwardSubresource } from './pod-streams.ts'

export interface ReachableObjects {
  readonly pods: Getter
  readonly nodes: Getter
  readonly services: Getter
  readonly endpoints: Getter
}

/** Subresources of core/v1 that forward requests to kubelets, pods and services. */
export function createKubeletSubresources(objects: ReachableObjects, options: KubeletOptions = {}): ReadonlyMap<string, RESTStorage> {
  const { pods, nodes } = objects
  const { dial } = options
  const kubelet = createKubeletClient(nodes, options)
  const streams = { pods, kubelet }
  return new Map<string, RESTStorage>([
    ['pods/attach', attachSubresource(streams)],
    ['pods/exec', execSubresource(streams)],
    ['pods/log', logSubresource(streams)],
    ['pods/portforward', createPortForwardSubresource(streams)],
    ['pods/proxy', createPodProxySubresource(pods, dial)],
    ['services/proxy', createServiceProxySubresource({ ...objects, dial })],
    ['nodes/proxy', createNodeProxySubresource(kubelet)],
  ])
}

/** Creates pods/NAME/proxy, which forwards requests to the pod. The port is the requested one or the first one that a container declares. */
function createPodProxySubresource(pods: Getter, dial: DialRemote | undefined): RESTStorage & Connecter {
  return {
    ...describeProxy('PodProxyOptions', { namespaced: true }),
    async connect(context, id, options) {
      const target = parseSchemeNamePort(id)
      if (target === undefined) throw newBadRequest(`invalid pod request ${JSON.stringify(id)}`)
      const pod = readResult<Pod>(await pods.get(context, target.name, {}))
      const host = pod.status?.podIPs?.[0]?.ip ?? ''
      if (!isGlobalUnicast(host)) throw newBadRequest('address not allowed')
      const declared = (pod.spec?.containers ?? []).find(({ ports }) => (ports ?? []).length > 0)?.ports?.[0]?.containerPort
      const port = target.port === '' ? String(declared ?? '') : target.port
      const remote = { scheme: target.scheme, host, port, path: getProxiedPath(options), query: '', tls: { verify: false } }
      return { remote: { ...remote, ...(dial && { dial }) }, passes: 'proxy' }
    },
  }
}

/**
 * Creates nodes/NAME/proxy. It forwards requests to the kubelet with this server's client certificate, or to another port of the node
 * without a certificate.
 */
export function createNodeProxySubresource(kubelet: KubeletClient, lookUp: LookUpHost = lookUpHost): RESTStorage & Connecter {
  return {
    ...describeProxy('NodeProxyOptions', { namespaced: false }),
    async connect(context, id, options) {
      const target = parseSchemeNamePort(id)
      if (target === undefined) throw newBadRequest(`invalid node request ${JSON.stringify(id)}`)
      const { remote } = await kubelet(context, target.name)
      const destination = { address: await resolveAllowedAddress(remote.host, lookUp), path: getProxiedPath(options), query: '' }
      if (target.port === '' || target.port === remote.port) return { remote: { ...remote, ...destination }, passes: 'proxy' }
      const { host, dial } = remote
      const otherPort = { scheme: target.scheme, host, port: target.port, tls: { verify: false }, ...(dial && { dial }) }
      return { remote: { ...otherPort, ...destination }, passes: 'proxy' }
    },
  }
}

/**
 * Returns an address of the host, after checking all its addresses. Connecting to an address avoids a second DNS lookup with another
 * result.
 */
async function resolveAllowedAddress(host: string, lookUp: LookUpHost): Promise<string> {
  const addresses = await lookUp(host).catch(() => {
    throw newBadRequest(`lookup ${host}: no such host`)
  })
  const [first] = addresses
  if (first === undefined) throw newBadRequest('no addresses for hostname')
  if (!addresses.every(({ address }) => isGlobalUnicast(address))) throw newBadRequest('address not allowed')
  return first.address
}
