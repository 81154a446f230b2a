import { lookup } from 'node:dns/promises'
import { newBadRequest } from '@keelson/apimachinery'
import type { Connecter, RESTStorage } from '@keelson/registry'
import type { KubeletClient } from '../kubelet/kubelet-client.ts'
import { isGlobalUnicast } from './global-unicast.ts'
import { proxiedPath, proxyFacts } from './proxy-facts.ts'
import { splitSchemeNamePort } from './scheme-name-port.ts'

/** Every address of a name. */
export type LookUp = (host: string) => Promise<readonly string[]>

const bySystem: LookUp = async (host) => (await lookup(host, { all: true })).map(({ address }) => address)

/** nodes/NAME/proxy: any request to the kubelet, with this server's certificate; or, at another port, to whatever listens there. */
export function nodeProxySubresource(kubelet: KubeletClient, lookUp: LookUp = bySystem): RESTStorage & Connecter {
  return {
    ...proxyFacts('NodeProxyOptions', { namespaced: false }),
    async connect(context, id, options) {
      const target = splitSchemeNamePort(id)
      if (target === undefined) throw newBadRequest(`invalid node request ${JSON.stringify(id)}`)
      const { remote } = await kubelet(context, target.name)
      const place = { address: await allowedAddress(remote.host, lookUp), path: proxiedPath(options), query: '' }
      if (target.port === '' || target.port === remote.port) return { remote: { ...remote, ...place }, passes: 'proxy' }
      const { host } = remote
      return { remote: { scheme: target.scheme, host, port: target.port, tls: { verify: false }, ...place }, passes: 'proxy' }
    },
  }
}

/** One address for all of them: what was looked at is what is dialled. */
async function allowedAddress(host: string, lookUp: LookUp): Promise<string> {
  const addresses = await lookUp(host).catch(() => {
    throw newBadRequest(`lookup ${host}: no such host`)
  })
  const [first] = addresses
  if (first === undefined) throw newBadRequest('no addresses for hostname')
  if (!addresses.every(isGlobalUnicast)) throw newBadRequest('address not allowed')
  return first
}
