import type { Pod } from '@keelson/api/core/v1'
import { newBadRequest } from '@keelson/apimachinery'
import { readResult } from '@keelson/registry'
import type { Connecter, Getter, RESTStorage } from '@keelson/registry'
import { isGlobalUnicast } from './global-unicast.ts'
import { getProxiedPath, proxyFacts } from './proxy-facts.ts'
import { parseSchemeNamePort } from './scheme-name-port.ts'

/** pods/NAME/proxy: forwards requests to the pod, at the requested port or the first one that a container declares. */
export function podProxySubresource(pods: Getter): RESTStorage & Connecter {
  return {
    ...proxyFacts('PodProxyOptions', { namespaced: true }),
    async connect(context, id, options) {
      const target = parseSchemeNamePort(id)
      if (target === undefined) throw newBadRequest(`invalid pod request ${JSON.stringify(id)}`)
      const pod = readResult<Pod>(await pods.get(context, target.name, {}))
      const host = pod.status?.podIPs?.[0]?.ip ?? ''
      if (!isGlobalUnicast(host)) throw newBadRequest('address not allowed')
      const declared = (pod.spec?.containers ?? []).find(({ ports }) => (ports ?? []).length > 0)?.ports?.[0]?.containerPort
      const port = target.port === '' ? String(declared ?? '') : target.port
      const remote = { scheme: target.scheme, host, port, path: getProxiedPath(options), query: '', tls: { verify: false } }
      return { remote, passes: 'proxy' }
    },
  }
}
