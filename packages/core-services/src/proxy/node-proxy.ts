import { lookup } from 'node:dns/promises'
import { newBadRequest } from '@keelson/apimachinery'
import type { Connecter, RESTStorage } from '@keelson/registry'
import type { KubeletClient } from '../kubelet/kubelet-client.ts'
import { isGlobalUnicast } from './global-unicast.ts'
import { getProxiedPath, proxyFacts } from './proxy-facts.ts'
import { parseSchemeNamePort } from './scheme-name-port.ts'

/** Resolves a host name to all its addresses. */
export type LookUp = (host: string) => Promise<readonly string[]>

const lookUpWithSystem: LookUp = async (host) => (await lookup(host, { all: true })).map(({ address }) => address)

/** nodes/NAME/proxy: forwards requests to the kubelet with this server's certificate, or to another port of the node without it. */
export function nodeProxySubresource(kubelet: KubeletClient, lookUp: LookUp = lookUpWithSystem): RESTStorage & Connecter {
  return {
    ...proxyFacts('NodeProxyOptions', { namespaced: false }),
    async connect(context, id, options) {
      const target = parseSchemeNamePort(id)
      if (target === undefined) throw newBadRequest(`invalid node request ${JSON.stringify(id)}`)
      const { remote } = await kubelet(context, target.name)
      const destination = { address: await resolveAllowedAddress(remote.host, lookUp), path: getProxiedPath(options), query: '' }
      if (target.port === '' || target.port === remote.port) return { remote: { ...remote, ...destination }, passes: 'proxy' }
      const { host } = remote
      return { remote: { scheme: target.scheme, host, port: target.port, tls: { verify: false }, ...destination }, passes: 'proxy' }
    },
  }
}

/** Returns the address to dial, after checking all addresses of the host. Dialing an address rules out a second DNS lookup. */
async function resolveAllowedAddress(host: string, lookUp: LookUp): Promise<string> {
  const addresses = await lookUp(host).catch(() => {
    throw newBadRequest(`lookup ${host}: no such host`)
  })
  const [first] = addresses
  if (first === undefined) throw newBadRequest('no addresses for hostname')
  if (!addresses.every(isGlobalUnicast)) throw newBadRequest('address not allowed')
  return first
}
