import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { locateLog, readEvents, writePolicy } from './audit-files.fixture.ts'
import { startHookServer } from './hook-server.fixture.ts'
import type { HookServer } from './hook-server.fixture.ts'
import type { ServerChain } from './server-chain.ts'
import { startChain } from './start-chain.fixture.ts'

const user = { name: 'admin', groups: ['system:masters'] }
const registration = '/apis/admissionregistration.k8s.io/v1'
const slowMs = 700

let directory: string
let hooks: HookServer
let chain: ServerChain
beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'keelson-annotations-'))
  hooks = await startHookServer({
    label: () => ({
      allowed: true,
      auditAnnotations: { note: 'changed' },
      patchType: 'JSONPatch',
      patch: Buffer.from('[{"op":"add","path":"/metadata/labels","value":{"a":"b"}}]').toString('base64'),
    }),
    wait: ({ request: { uid } }, response) => {
      const answer = JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: { uid, allowed: true } })
      setTimeout(() => response.setHeader('content-type', 'application/json').end(answer), slowMs)
      return undefined
    },
    fail: (_call, response) => void response.writeHead(500).end(),
  })
  const policyFile = await writePolicy(
    directory,
    'omitStages: [RequestReceived]\nrules: [{level: Metadata, namespaces: [metadata]}, {level: Request, verbs: [create]}, {level: Metadata}]',
  )
  chain = await startChain({
    audit: { policyFile, log: { path: locateLog(directory) } },
    features: { runtimeConfig: { 'networking.k8s.io/v1beta1': true } },
  })
})
afterAll(async () => {
  await chain.close()
  await hooks[Symbol.asyncDispose]()
  await rm(directory, { recursive: true })
})

/** Sends a request. Returns the annotations of its last event. */
async function request(method: string, target: string, body?: object): Promise<Record<string, string>> {
  const headers = { 'content-type': 'application/json' }
  const response = await chain.fetch(target, { method, user, ...(body && { headers, body: JSON.stringify(body) }) })
  const text = await response.text()
  expect(response.status, text).toBeLessThan(300)
  const id = response.headers.get('audit-id')
  return (await readEvents(directory)).findLast(({ auditID }) => auditID === id)!.annotations!
}

const allowed = { 'authorization.k8s.io/decision': 'allow', 'authorization.k8s.io/reason': '' }
const settle = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 200))

/** Creates a namespace and a webhook for the config maps in it. */
async function createHook(type: 'mutating' | 'validating', handler: string, namespace: string): Promise<void> {
  await request('POST', '/api/v1/namespaces', { metadata: { name: namespace } })
  await request('POST', `${registration}/${type}webhookconfigurations`, {
    metadata: { name: namespace },
    webhooks: [
      {
        name: 'hook.example.com',
        clientConfig: { url: `${hooks.url}/${handler}`, caBundle: hooks.caBundle },
        rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
        admissionReviewVersions: ['v1'],
        sideEffects: 'None',
        failurePolicy: 'Ignore',
      },
    ],
  })
  await settle()
}

const createConfigMap = (namespace: string): Promise<Record<string, string>> =>
  request('POST', `/api/v1/namespaces/${namespace}/configmaps`, { metadata: { name: 'a' } })

const formatMutation = (configuration: string, mutated: boolean): string =>
  JSON.stringify({ configuration, webhook: 'hook.example.com', mutated })

it('tells what a mutating webhook did, with its patch from level Request', async () => {
  await createHook('mutating', 'label', 'request')
  await createHook('mutating', 'label', 'metadata')
  const buildCommon = (configuration: string) => ({
    ...allowed,
    'hook.example.com/note': 'changed',
    'mutation.webhook.admission.k8s.io/round_0_index_0': formatMutation(configuration, true),
  })
  // The index counts all webhooks, sorted by the name of their configuration.
  const ofMetadata = await createConfigMap('metadata')
  expect(ofMetadata).toEqual(buildCommon('metadata'))
  const ofRequest = await createConfigMap('request')
  const patch = [{ op: 'add', path: '/metadata/labels', value: { a: 'b' } }]
  expect(Object.keys(ofRequest).filter((key) => key.startsWith('patch.'))).toHaveLength(1)
  expect(JSON.parse(Object.entries(ofRequest).find(([key]) => key.startsWith('patch.'))![1])).toEqual({
    configuration: 'request',
    webhook: 'hook.example.com',
    patch,
    patchType: 'JSONPatch',
  })
})

it.each([
  ['mutating', 'failed-open.mutation.webhook.admission.k8s.io'],
  ['validating', 'failed-open.validating.webhook.admission.k8s.io'],
] as const)('names a %s webhook whose failure was ignored', async (type, prefix) => {
  await createHook(type, 'fail', `fails-${type}`)
  const annotations = await createConfigMap(`fails-${type}`)
  const [, value] = Object.entries(annotations).find(([key]) => key.startsWith(`${prefix}/round_0_index_`)) ?? []
  expect(value).toBe('hook.example.com')
})

it('tells the latencies of a slow request', async () => {
  await createHook('validating', 'wait', 'slow')
  const annotations = await createConfigMap('slow')
  const layers = Object.keys(annotations).flatMap((key) => /^apiserver\.latency\.k8s\.io\/(.+)$/.exec(key)?.[1] ?? [])
  expect(layers.toSorted()).toEqual(['authentication', 'authorization', 'etcd', 'serialize-response-object', 'total', 'validating-webhook'])
  const readMs = (layer: string): number => {
    const match = /^([\d.]+)(ms|s)$/.exec(annotations[`apiserver.latency.k8s.io/${layer}`]!)
    return Number(match?.[1]) * (match?.[2] === 's' ? 1000 : 1)
  }
  expect(readMs('validating-webhook')).toBeGreaterThanOrEqual(slowMs - 50)
  expect(readMs('total')).toBeGreaterThanOrEqual(readMs('validating-webhook'))
  // The storage does not include the webhook, which is called while the object is written.
  expect(readMs('etcd') || 0).toBeLessThan(slowMs - 50)
  expect(Object.keys(await request('GET', '/api/v1/namespaces/slow')).toSorted()).toEqual(Object.keys(allowed))
})

it('tells violations and annotations of validating policies', async () => {
  await request('POST', `${registration}/validatingadmissionpolicies`, {
    metadata: { name: 'audited' },
    spec: {
      matchConstraints: { resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['secrets'] }] },
      validations: [{ expression: 'false', message: 'never' }],
      auditAnnotations: [{ key: 'name', valueExpression: 'string(object.metadata.name)' }],
    },
  })
  await request('POST', `${registration}/validatingadmissionpolicybindings`, {
    metadata: { name: 'audited' },
    spec: { policyName: 'audited', validationActions: ['Audit'] },
  })
  await settle()
  const annotations = await request('POST', '/api/v1/namespaces/default/secrets', { metadata: { name: 'a' } })
  const { 'validation.policy.admission.k8s.io/validation_failure': failure, ...others } = annotations
  expect(others).toEqual({ ...allowed, 'audited/name': 'a' })
  expect(JSON.parse(failure!)).toEqual([
    { message: 'never', policy: 'audited', binding: 'audited', expressionIndex: 0, validationActions: ['Audit'] },
  ])
})

it('tells the levels and violations of pod security', async () => {
  const labels = { 'pod-security.kubernetes.io/enforce': 'baseline', 'pod-security.kubernetes.io/audit': 'restricted' }
  await request('POST', '/api/v1/namespaces', { metadata: { name: 'secure', labels } })
  await request('POST', '/api/v1/namespaces/secure/serviceaccounts', { metadata: { name: 'default' } })
  const annotations = await request('POST', '/api/v1/namespaces/secure/pods', {
    metadata: { name: 'a' },
    spec: { containers: [{ name: 'a', image: 'a' }], automountServiceAccountToken: false },
  })
  expect(annotations).toEqual({
    ...allowed,
    'pod-security.kubernetes.io/enforce-policy': 'baseline:latest',
    'pod-security.kubernetes.io/audit-violations': expect.stringMatching(/^would violate PodSecurity "restricted:latest": /) as string,
  })
})

it('tells that the version of a request is deprecated, and when it is removed', async () => {
  expect(await request('GET', '/api/v1/componentstatuses')).toEqual({ ...allowed, 'k8s.io/deprecated': 'true' })
  expect(await request('GET', '/apis/networking.k8s.io/v1beta1/ipaddresses')).toEqual({
    ...allowed,
    'k8s.io/deprecated': 'true',
    'k8s.io/removed-release': '1.37',
  })
})

it('names an issued token by the id that its later requests have', async () => {
  await request('POST', '/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'builder' } })
  const body = JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { audiences: [] } })
  const target = '/api/v1/namespaces/default/serviceaccounts/builder/token'
  const response = await chain.fetch(target, { method: 'POST', user, headers: { 'content-type': 'application/json' }, body })
  const { status } = (await response.json()) as { readonly status: { readonly token: string } }
  const { jti } = JSON.parse(Buffer.from(status.token.split('.')[1]!, 'base64url').toString()) as { readonly jti: string }
  const issued = (await readEvents(directory)).findLast(({ auditID }) => auditID === response.headers.get('audit-id'))!
  expect(issued.annotations).toEqual({ ...allowed, 'authentication.kubernetes.io/issued-credential-id': `JTI=${jti}` })
})
