import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { askServerForText } from './ask-server.fixture.ts'
import { parseExposition } from './exposition.fixture.ts'
import type { MetricFamily } from './exposition.fixture.ts'
import { metricFacts } from './metric-facts.fixture.ts'
import type { ServerChain } from './server-chain.ts'
import { startChain } from './start-chain.fixture.ts'

/** Process metrics that exist only on Linux. */
const ofLinux = new Set(['process_max_fds', 'process_open_fds', 'process_virtual_memory_bytes'])
const facts = metricFacts.filter(({ name }) => process.platform === 'linux' || !ofLinux.has(name))

let chain: ServerChain
let families: ReadonlyMap<string, MetricFamily>
beforeAll(async () => {
  chain = await startChain({ controllers: ['*'] })
  const configMaps = '/api/v1/namespaces/default/configmaps'
  const policies = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolic'
  const mutatingPolicies = '/apis/admissionregistration.k8s.io/v1/mutatingadmissionpolic'
  const rule = { operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }
  await requestText('POST', `${policies}ies`, {
    metadata: { name: 'p' },
    spec: { matchConstraints: { resourceRules: [rule] }, validations: [{ expression: 'false' }] },
  })
  await requestText('POST', `${policies}ybindings`, { metadata: { name: 'p' }, spec: { policyName: 'p', validationActions: ['Warn'] } })
  const applyConfiguration = { expression: "Object{metadata: Object.metadata{labels: {'a': 'b'}}}" }
  await requestText('POST', `${mutatingPolicies}ies`, {
    metadata: { name: 'm' },
    spec: {
      reinvocationPolicy: 'Never',
      matchConstraints: { resourceRules: [rule] },
      mutations: [{ patchType: 'ApplyConfiguration', applyConfiguration }],
    },
  })
  await requestText('POST', `${mutatingPolicies}ybindings`, { metadata: { name: 'm' }, spec: { policyName: 'm' } })
  const createWebhook = (name: string, failurePolicy: string, overrides: object = {}): object => ({
    name: `${name}.example.com`,
    clientConfig: { url: 'https://127.0.0.1:1/' },
    admissionReviewVersions: ['v1'],
    sideEffects: 'None',
    rules: [{ ...rule, resources: ['secrets'] }],
    failurePolicy,
    ...overrides,
  })
  await requestText('POST', '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations', {
    metadata: { name: 'w' },
    webhooks: [
      createWebhook('excluded', 'Ignore', { matchConditions: [{ name: 'a', expression: 'object.nosuch == 1' }] }),
      createWebhook('open', 'Ignore'),
      createWebhook('closed', 'Fail'),
    ],
  })
  await requestText('POST', configMaps, { metadata: { name: 'a' } })
  await requestText('DELETE', `${configMaps}/a`)
  for (const path of [configMaps, '/api/v1/namespaces/default/endpoints', '/readyz']) await requestText('GET', path)
  await chain.fetch('/api', { headers: { authorization: `Bearer ${chain.adminToken}`, 'impersonate-user': 'alice' } })
  const watch = request(
    `${chain.url}/api/v1/namespaces?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`,
    {
      ca: chain.certificateAuthority,
      headers: { authorization: `Bearer ${chain.adminToken}` },
      agent: false,
    },
  ).end()
  const [answer] = (await once(watch, 'response')) as [IncomingMessage]
  await once(answer, 'data')
  // Waits, because stored objects are counted in the background, and policies apply soon after their creation.
  const startTime = Date.now()
  do {
    await requestText('POST', `${configMaps}?dryRun=All`, { metadata: { name: 'a' } })
    await requestText('POST', '/api/v1/namespaces/default/secrets?dryRun=All', { metadata: { name: 'a' } })
    families = parseExposition(await requestText('GET', '/metrics'))
  } while (!facts.every(({ name }) => families.has(name)) && Date.now() - startTime < 5000)
  watch.on('error', () => {}).destroy()
})
afterAll(() => chain.close())

async function requestText(method: string, path: string, body?: object): Promise<string> {
  return (await askServerForText(chain, method, path, { body })).text
}

test.each(facts)('$name equals the metric of kube-apiserver', ({ name, type, stability, labels, bounds }) => {
  const family = families.get(name)
  expect(family).toMatchObject({ type, labels, bounds: type === 'histogram' ? [...bounds, '+Inf'] : [] })
  expect(/^\[(\w+)\] /.exec(family!.help)?.[1]).toBe(stability)
})

test('has no metrics that kube-apiserver lacks, except those of Node.js', () => {
  const knownNames = new Set(metricFacts.map(({ name }) => name))
  expect([...families.keys()].filter((name) => !knownNames.has(name) && !name.startsWith('nodejs_'))).toEqual([])
})

test('serves the metrics of service levels at /metrics/slis', async () => {
  const sliFamilies = parseExposition(await requestText('GET', '/metrics/slis'))
  expect([...sliFamilies.keys()]).toEqual(['kubernetes_healthcheck', 'kubernetes_healthchecks_total', 'process_start_time_seconds'])
  expect(sliFamilies.get('kubernetes_healthcheck')).toMatchObject({ type: 'gauge', labels: ['name', 'type'] })
  expect(sliFamilies.get('kubernetes_healthchecks_total')).toMatchObject({ type: 'counter', labels: ['name', 'status', 'type'] })
})

test('metrics have only labels of served resources', async () => {
  for (const path of [
    '/apis/none/v1/things',
    '/api/v2/pods',
    '/api/v1/namespaces/default/none',
    '/api/v1/namespaces/default/pods/a/none',
    '/none',
  ])
    await requestText('GET', path)
  await requestText('GET', '/api/v1/namespaces/default/pods/a/log')
  const page = await requestText('GET', '/metrics')
  expect(page).not.toMatch(/none/)
  expect(page).not.toMatch(/version="v2",?.*resource="pods"|resource="pods".*version="v2"/)
  expect(page).toMatch(/^apiserver_request_total\{code="404",.*resource="pods",.*subresource="log",verb="CONNECT"/m)
})

test('the number of series does not depend on what clients invent', async () => {
  const countSeries = async (): Promise<number> => (await requestText('GET', '/metrics')).split('\n').length
  const sendInvented = async (n: number): Promise<void> => {
    const user = { name: `user-${n}`, groups: [`group-${n}`, 'system:masters'] }
    const headers = { 'user-agent': `agent-${n}`, 'content-type': `application/x-${n}` }
    const targets = [
      `/apis/group${n}.example.com/v${n}/things${n}`,
      `/api/v1/namespaces/n${n}/pods/p${n}/sub${n}`,
      `/api/v1/namespaces/n${n}/things${n}`,
      `/api/v1/namespaces/n${n}/pods/p${n}`,
      `/api/v1/namespaces/default/configmaps?dryRun=x${n}&fieldValidation=y${n}&labelSelector=a%3D${n}&x${n}=1`,
      `/path${n}`,
      `/livez/check${n}`,
      `/readyz?exclude=check${n}`,
      `/openapi/v3/apis/group${n}`,
    ]
    for (const method of ['GET', 'DELETE', 'POST', `INVENTED${n}`, 'PROPFIND'])
      for (const target of targets)
        await chain
          .fetch(target, { method, user, headers, ...(method === 'POST' && { body: '{}' }) })
          .then((answer) => answer.arrayBuffer())
  }
  for (let n = 0; n < 3; n++) await sendInvented(n)
  const before = await countSeries()
  for (let n = 3; n < 80; n++) await sendInvented(n)
  expect(await countSeries()).toBe(before)
})

test.each<[string, string]>([
  ['a family in two places', '# HELP a A.\n# TYPE a gauge\na 1\n# HELP b B.\n# TYPE b gauge\nb 1\na{c="d"} 1\n'],
  ['a series twice', '# HELP a A.\n# TYPE a gauge\na{c="d"} 1\na{c="d"} 1\n'],
  ['a label that is not escaped', '# HELP a A.\n# TYPE a gauge\na{c="d"e"} 1\n'],
  ['buckets that fall', '# HELP a A.\n# TYPE a histogram\na_bucket{le="1"} 2\na_bucket{le="+Inf"} 1\n'],
  ['buckets and a count apart', '# HELP a A.\n# TYPE a histogram\na_bucket{le="+Inf"} 1\na_sum 1\na_count 2\n'],
])('the parser rejects %s', (_, text) => {
  expect(() => parseExposition(text)).toThrow()
})
