import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import type { DeleteOptions } from '@keelson/apimachinery'
import { createServerChain } from './create-server-chain.ts'
import { startHookServer } from './hook-server.fixture.ts'
import type { HookHandler, HookServer } from './hook-server.fixture.ts'
import type { ServerChain } from './server-chain.ts'

const user = { name: 'ann', uid: '7', groups: ['system:masters'] }
const configurations = '/apis/admissionregistration.k8s.io/v1'
const maps = '/api/v1/namespaces/default/configmaps'
const widgets = '/apis/example.com/v1/namespaces/default/widgets'

const patch = (...operations: readonly object[]): object => ({
  allowed: true,
  patchType: 'JSONPatch',
  patch: Buffer.from(JSON.stringify(operations)).toString('base64'),
})
const deny: HookHandler = () => ({ allowed: false, status: { message: 'no' } })
const refusal = { code: 400, message: 'admission webhook "hook.example.com" denied the request: no' }

let hooks: HookServer
let chain: ServerChain
let directory: string
beforeAll(async () => {
  hooks = await startHookServer({
    allow: () => ({ allowed: true }),
    deny,
    label: () => patch({ op: 'add', path: '/metadata/labels', value: { hooked: 'yes' } }),
    size: () => patch({ op: 'add', path: '/spec/size', value: 9 }, { op: 'add', path: '/spec/nosuch', value: 1 }),
    replicas: () => patch({ op: 'replace', path: '/spec/replicas', value: 4 }),
    hang: () => undefined,
    reset: (_call, response) => void response.socket!.destroy(),
    trickle: (_call, response) => void response.writeHead(200).write('{'),
    redirect: (_call, response) => void response.writeHead(307, { location: '/allow' }).end(),
    flood: (_call, response) => {
      const send = (): void => {
        while (!response.destroyed && response.write(' '.repeat(64 * 1024)));
        response.once('drain', send)
      }
      response.writeHead(200, { 'content-type': 'application/json' })
      send()
    },
  })
  directory = await mkdtemp(path.join(tmpdir(), 'keelson-webhooks-'))
  const locateFile = async (name: string, text: string): Promise<string> => {
    await writeFile(path.join(directory, name), text)
    return path.join(directory, name)
  }
  const kubeConfigFile = await locateFile(
    'kubeconfig',
    `{users: [{name: '127.0.0.1:${new URL(hooks.url).port}', user: {token: secret, client-certificate: client.crt, client-key: client.key}}]}`,
  )
  await locateFile('client.crt', hooks.certificate)
  await locateFile('client.key', hooks.key)
  const configuration = `{apiVersion: apiserver.config.k8s.io/v1, kind: WebhookAdmissionConfiguration, kubeConfigFile: ${kubeConfigFile}}`
  const configFile = await locateFile(
    'admission.yaml',
    `{apiVersion: apiserver.config.k8s.io/v1, kind: AdmissionConfiguration, plugins: [{name: ValidatingAdmissionWebhook, configuration: ${configuration}}]}`,
  )
  const admission = { configFile, disable: ['ServiceAccount'] }
  chain = await createServerChain({ controllers: ['none'], log: () => {}, admission })
  await chain.start()
})
afterAll(async () => {
  await chain.close()
  await hooks[Symbol.asyncDispose]()
  await rm(directory, { recursive: true })
})
afterEach(async () => {
  for (const type of ['mutating', 'validating']) await call('DELETE', `${configurations}/${type}webhookconfigurations/hook`)
  hooks.calls.length = 0
})

interface Answer {
  readonly code: number
  readonly message: string
  readonly body: Record<string, unknown>
}

async function call(method: string, target: string, body?: object, type = 'application/json'): Promise<Answer> {
  const request = { method, user, ...(body && { headers: { 'content-type': type }, body: JSON.stringify(body) }) }
  const response = await chain.fetch(target, request)
  const text = await response.text()
  const parsed = (text.startsWith('{') ? JSON.parse(text) : {}) as Record<string, unknown> & { readonly message?: string }
  return { code: response.status, message: parsed.message ?? '', body: parsed }
}

interface Rule {
  readonly apiGroups?: readonly string[]
  readonly apiVersions?: readonly string[]
  readonly operations?: readonly string[]
  readonly resources?: readonly string[]
}

/** Creates a webhook, and waits until it is called. Its calls so far are dropped. */
async function createHook(type: 'mutating' | 'validating', name: string, rule: Rule, overrides: object = {}): Promise<void> {
  const rules = [{ apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*/*'], ...rule }]
  const created = await call('POST', `${configurations}/${type}webhookconfigurations`, {
    metadata: { name: 'hook' },
    webhooks: [
      {
        name: 'hook.example.com',
        clientConfig: { url: `${hooks.url}/${name}`, caBundle: hooks.caBundle },
        admissionReviewVersions: ['v1'],
        sideEffects: 'None',
        rules,
        ...overrides,
      },
    ],
  })
  expect(created.code).toBe(201)
  // The plugin gets the configuration from its informer, at most a few milliseconds later.
  await new Promise((resolve) => setTimeout(resolve, 100))
  hooks.calls.length = 0
}

let count = 0
const map = (): object => ({ metadata: { name: `map-${count++}` }, data: { a: '1' } })

it('calls a new webhook within 100 ms, with the credentials for its host, and no longer after its deletion', async () => {
  await createHook('validating', 'deny', { resources: ['configmaps'] })
  expect(await call('POST', maps, map())).toMatchObject(refusal)
  expect(hooks.calls).toMatchObject([
    { path: '/deny?timeout=10s', authorization: 'Bearer secret', client: 'hook', request: { userInfo: { username: 'ann', uid: '7' } } },
  ])
  await call('DELETE', `${configurations}/validatingwebhookconfigurations/hook`)
  await vi.waitFor(async () => expect((await call('POST', maps, map())).code).toBe(201))
})

it('refuses deletions, also of collections', async () => {
  await call('POST', maps, { metadata: { name: 'kept' } })
  await createHook('validating', 'deny', { operations: ['DELETE'], resources: ['configmaps'] })
  expect(await call('DELETE', `${maps}/kept`)).toMatchObject(refusal)
  expect(await call('DELETE', maps)).toMatchObject(refusal)
  expect(hooks.calls.map(({ request }) => request['name'])[0]).toBe('kept')
  expect((await call('GET', `${maps}/kept`)).code).toBe(200)
})

it('calls webhooks for connections and for subresources', async () => {
  const pods = '/api/v1/namespaces/default/pods'
  const pod = { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }] } }
  expect((await call('POST', pods, pod)).code).toBe(201)
  await createHook('validating', 'deny', { resources: ['pods/*'] })
  expect(await call('POST', `${pods}/p/exec?command=ls&stdout=true`)).toMatchObject(refusal)
  expect(await call('POST', `${pods}/p/eviction`, { metadata: { name: 'p' } })).toMatchObject(refusal)
  expect(await call('POST', `${pods}/p/binding`, { metadata: { name: 'p' }, target: { kind: 'Node', name: 'n' } })).toMatchObject(refusal)
  expect(await call('PATCH', `${pods}/p/status`, { status: { phase: 'Failed' } }, 'application/merge-patch+json')).toMatchObject(refusal)
  expect(
    hooks.calls.map(({ request: { operation, subResource, kind } }) => [operation, subResource, (kind as { kind: string }).kind]),
  ).toEqual([
    ['CONNECT', 'exec', 'PodExecOptions'],
    ['CREATE', 'eviction', 'Eviction'],
    ['CREATE', 'binding', 'Binding'],
    ['UPDATE', 'status', 'Pod'],
  ])
  expect(hooks.calls[0]?.request.object).toMatchObject({ kind: 'PodExecOptions', command: ['ls'], stdout: true })
})

it('asks twice about a pod that is removed at once: before it is marked, and before it is removed', async () => {
  const pods = '/api/v1/namespaces/default/pods'
  for (const name of ['one', 'two']) {
    await call('POST', pods, { metadata: { name }, spec: { containers: [{ name: 'c', image: 'i' }] } })
    // The marked pod is not in the cache yet when it is removed.
    await createHook('validating', 'allow', { operations: ['DELETE'], resources: ['pods'] })
    if (name === 'one') await call('DELETE', `${pods}/one`, { gracePeriodSeconds: 0 })
    else await call('DELETE', `${pods}?fieldSelector=metadata.name%3Dtwo`)
    const requests = hooks.calls.map(({ request }) => {
      const { metadata } = request['oldObject'] as { readonly metadata: { readonly deletionGracePeriodSeconds?: number } }
      return [request['name'], metadata.deletionGracePeriodSeconds, (request['options'] as object as DeleteOptions).gracePeriodSeconds]
    })
    // A collection has no name, and the grace period that a kind sets is not part of the request.
    const [asksFor, period] = name === 'one' ? ['one', 0] : [undefined, undefined]
    expect(requests).toEqual([
      [asksFor, undefined, period],
      [asksFor, 0, period],
    ])
    await call('DELETE', `${configurations}/validatingwebhookconfigurations/hook`)
  }
})

it('tracks the fields of an eviction, and passes on its dry run', async () => {
  const pods = '/api/v1/namespaces/default/pods'
  await call('POST', pods, { metadata: { name: 'evicted' }, spec: { containers: [{ name: 'c', image: 'i' }] } })
  await createHook('validating', 'allow', { resources: ['pods/eviction'] })
  const eviction = { metadata: { name: 'evicted' }, deleteOptions: { gracePeriodSeconds: 7 } }
  expect(await call('POST', `${pods}/evicted/eviction?dryRun=All`, eviction)).toMatchObject({ code: 201 })
  expect(hooks.calls[0]?.request.object).toMatchObject({
    metadata: { managedFields: [{ apiVersion: 'policy/v1', fieldsV1: { 'f:deleteOptions': { 'f:gracePeriodSeconds': {} } } }] },
    deleteOptions: { dryRun: ['All'], gracePeriodSeconds: 7 },
  })
})

it('changes the scale of a deployment', async () => {
  const deployments = '/apis/apps/v1/namespaces/default/deployments'
  const selector = { matchLabels: { a: 'b' } }
  const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } }
  await call('POST', deployments, { metadata: { name: 'd' }, spec: { replicas: 1, selector, template } })
  await createHook('mutating', 'replicas', { resources: ['deployments/scale'] })
  const { body } = await call('PATCH', `${deployments}/d/scale`, { spec: { replicas: 2 } }, 'application/merge-patch+json')
  expect(body).toMatchObject({ kind: 'Scale', spec: { replicas: 4 } })
})

it('converts custom resources to the version that a webhook wants, and its patch back', async () => {
  const schema = { type: 'object', properties: { spec: { type: 'object', properties: { size: { type: 'integer' } } } } }
  const createVersion = (name: string, storage: boolean): object => ({ name, served: true, storage, schema: { openAPIV3Schema: schema } })
  await call('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
    metadata: { name: 'widgets.example.com' },
    spec: {
      group: 'example.com',
      names: { plural: 'widgets', kind: 'Widget' },
      scope: 'Namespaced',
      versions: [createVersion('v1', true), createVersion('v2', false)],
    },
  })
  await vi.waitFor(async () => expect((await call('GET', widgets)).code).toBe(200))
  await createHook('mutating', 'size', { apiGroups: ['example.com'], apiVersions: ['v2'] })
  const created = await call('POST', widgets, { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w' }, spec: { size: 1 } })
  expect(created).toMatchObject({ code: 201, body: { apiVersion: 'example.com/v1', spec: { size: 9 } } })
  expect(created.body).not.toHaveProperty('spec.nosuch')
  expect(hooks.calls[0]?.request).toMatchObject({
    kind: { group: 'example.com', version: 'v2', kind: 'Widget' },
    requestKind: { group: 'example.com', version: 'v1', kind: 'Widget' },
    object: { apiVersion: 'example.com/v2', spec: { size: 1 } },
  })
})

it('stores the changes of a webhook', async () => {
  await createHook('mutating', 'label', { resources: ['configmaps'] })
  await call('POST', maps, { metadata: { name: 'labelled' } })
  expect((await call('GET', `${maps}/labelled`)).body).toMatchObject({ metadata: { labels: { hooked: 'yes' } } })
})

it.each([
  ['hang', /context deadline exceeded$/],
  ['trickle', /unexpected error when reading response body\. Please retry\. Original error: context deadline exceeded$/],
  ['reset', /(EOF|connection reset by peer)$/],
  ['redirect', /the server responded with the status code 307 but did not return more information$/],
  ['flood', /the answer is larger than 4194304 bytes$/],
])('fails only the request whose webhook does this: %s', async (name, message) => {
  await createHook('validating', name, { resources: ['configmaps'] }, { timeoutSeconds: 1 })
  const began = performance.now()
  const refused = call('POST', maps, map())
  let otherCalls = 0
  const reading = (async () => {
    while (performance.now() - began < 400) {
      expect((await call('GET', '/api/v1/namespaces/default')).code).toBe(200)
      otherCalls++
    }
  })()
  const answer = await refused
  expect(performance.now() - began).toBeLessThan(3000)
  expect(answer).toMatchObject({ code: 500, message: expect.stringMatching(message) as string })
  await reading
  expect(otherCalls).toBeGreaterThan(10)
  expect((await call('POST', '/api/v1/namespaces/default/secrets', { metadata: { generateName: 's-' } })).code).toBe(201)
})

it('answers 504 if the time of the request ends before that of the webhook', async () => {
  await createHook('validating', 'hang', { resources: ['configmaps'] }, { timeoutSeconds: 30 })
  expect(await call('POST', `${maps}?timeout=1s`, map())).toMatchObject({ code: 504 })
  expect(hooks.calls.map(({ path: target }) => target)).toEqual(['/hang?timeout=1s'])
})
