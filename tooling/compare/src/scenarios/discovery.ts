import { accepts } from './accepts.ts'
import { withQuery } from './scenario.ts'
import type { Scenario } from './scenario.ts'

const formatAggregatedType = (version: string): string => `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`
const discoveryAccepts = [
  formatAggregatedType('v2'),
  formatAggregatedType('v2beta1'),
  `${formatAggregatedType('v2')},application/json`,
  formatAggregatedType('v3'),
  ...accepts,
]

/** Scenario that reads discovery documents and similar paths. Leaves out the list of all groups, because Keelson serves fewer groups. */
export const discovery: Scenario = {
  name: 'discovery',
  weight: 2,
  suits: () => true,
  steps: (random, { group, version, plural }) => {
    const groupPath = group === '' ? '/api' : `/apis/${group}`
    const paths = [
      groupPath,
      `${groupPath}/${version}`,
      `${groupPath}/${version}`,
      '/api',
      '/api/v1',
      `${groupPath}/v9`,
      `${groupPath}/${version}/`,
      `${groupPath}/${version}/nope`,
      `${groupPath}/${version}/watch`,
      `${groupPath}/${version}/watch/nope`,
      `${groupPath}/${version}/namespaces/nope`,
      `${groupPath}/${version}/namespaces/nope/nope`,
      `${groupPath}/${version}/namespaces//nope`,
      `${groupPath}/${version}/${plural}/nope/status/x`,
      `${groupPath}/${version}/proxy/${plural}`,
      '/apis/nope',
      '/apis/nope/v1',
      '/api/v2',
      '/nope',
      '//api',
      '/version/nope',
      '/openapi/v3/nope',
      '/openapi/v3/apis/nope/v1',
      '/openapi/nope',
      '/healthz/nope',
      '/livez/ping',
      '/readyz/nope',
      '/healthz/ping',
      '/.well-known/nope',
      '/logs',
      '/ui',
    ]
    return Array.from({ length: 3 }, () => ({
      method: random.pick(['GET', 'GET', 'GET', 'GET', 'HEAD', 'OPTIONS']),
      path: withQuery(random.pick(paths), { timeout: random.pick([undefined, undefined, undefined, '10s', 'x', '-1s', '0', '1']) }),
      headers: { accept: random.chance(0.5) ? 'application/json' : random.pick(discoveryAccepts) },
    }))
  },
}
