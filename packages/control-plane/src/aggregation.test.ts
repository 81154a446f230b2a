import { text as readText } from 'node:stream/consumers'
import type { APIService } from '@keelson/api/apiregistration/v1'
import { jsonKinds } from '@keelson/api'
import type { KubeObject } from '@keelson/apimachinery'
import { defineApiGroup, defineResource } from '@keelson/registry'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { echoGroup, startAggregatedServer } from './aggregated-server.fixture.ts'
import type { AggregatedServer } from './aggregated-server.fixture.ts'
import { createServerChain } from './create-server-chain.ts'
import type { ServerChain } from './server-chain.ts'

const aggregated = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'
const apiServices = '/apis/apiregistration.k8s.io/v1/apiservices'

let chain: ServerChain
let backend: AggregatedServer
beforeAll(async () => {
  chain = await createServerChain({ controllers: ['none'], log: () => {} })
  await chain.start()
  backend = await startAggregatedServer()
})
afterAll(async () => {
  await chain.close()
  await backend[Symbol.asyncDispose]()
})

interface Answer<Body> {
  readonly code: number
  readonly body: Body
  readonly text: string
}

async function call<Body = KubeObject>(
  method: string,
  path: string,
  body?: object,
  {
    user = { name: 'ann', groups: ['system:masters'] },
    headers = {},
  }: { user?: { name: string; groups: string[] }; headers?: object } = {},
): Promise<Answer<Body>> {
  const contentType = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
  const answer = await chain.fetch(path, {
    method,
    user,
    headers: { 'content-type': contentType, ...headers },
    ...(body && { body: JSON.stringify(body) }),
  })
  const text = await answer.text()
  return { code: answer.status, body: (text.startsWith('{') ? JSON.parse(text) : undefined) as Body, text }
}

async function readApiService(name: string): Promise<APIService | undefined> {
  const { code, body } = await call<APIService>('GET', `${apiServices}/${name}`)
  return code === 200 ? body : undefined
}

async function readAvailable(name: string): Promise<Record<string, string | undefined>> {
  const { type: _type, lastTransitionTime: _time, ...condition } = (await readApiService(name))?.status?.conditions?.[0] ?? { type: '' }
  return condition
}

async function listGroups(): Promise<readonly string[]> {
  const { body } = await call<{ groups: { name: string }[] }>('GET', '/apis')
  return body.groups.map(({ name }) => name)
}

describe('registration', () => {
  it('registers built-in groups before the server is ready', async () => {
    const { body } = await call<{ items: APIService[] }>('GET', apiServices)
    const { metadata, spec } = body.items.find((item) => item.metadata.name === 'v2.autoscaling')!
    expect(metadata.labels).toEqual({ 'kube-aggregator.kubernetes.io/automanaged': 'onstart' })
    expect(spec).toEqual({ group: 'autoscaling', version: 'v2', groupPriorityMinimum: 17_500, versionPriority: 30 })
    expect(body.items.every(({ status }) => status?.conditions?.[0]?.status === 'True')).toBe(true)
    expect((await call('GET', '/healthz/autoregister-completion')).text).toBe('ok')
    expect((await listGroups()).slice(0, 3)).toEqual(['apiregistration.k8s.io', 'apps', 'events.k8s.io'])
  })

  it('lists groups by the priorities of their APIServices, and not those without one', async () => {
    await call('PATCH', `${apiServices}/v1.apps`, { spec: { groupPriorityMinimum: 2 } })
    await call('DELETE', `${apiServices}/v1.batch`)
    await expect.poll(listGroups).not.toContain('batch')
    expect((await listGroups()).at(-1)).toBe('apps')
    // The group itself is served as before.
    expect((await call('GET', '/apis/batch/v1/namespaces/default/jobs')).code).toBe(200)
    expect((await call<{ name: string }>('GET', '/apis/batch')).body.name).toBe('batch')
    // The built-in ones are registered only at the start.
    expect(await readApiService('v1.batch')).toBeUndefined()
    await call('PATCH', `${apiServices}/v1.apps`, { spec: { groupPriorityMinimum: 17_800 } })
  })

  it('registers custom resources while they exist, and restores changed APIServices', async () => {
    const versions = ['v1', 'v1beta1'].map((name) => ({
      name,
      served: true,
      storage: name === 'v1',
      schema: { openAPIV3Schema: { type: 'object' } },
    }))
    const definition = {
      metadata: { name: 'knots.ropes.example.com' },
      spec: { group: 'ropes.example.com', names: { plural: 'knots', kind: 'Knot' }, scope: 'Cluster', versions },
    }
    const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
    expect((await call('POST', definitions, definition)).code).toBe(201)
    await expect.poll(() => readApiService('v1beta1.ropes.example.com')).toBeDefined()
    const { metadata, spec } = (await readApiService('v1.ropes.example.com'))!
    expect(metadata.labels).toEqual({ 'kube-aggregator.kubernetes.io/automanaged': 'true' })
    expect(spec).toEqual({ group: 'ropes.example.com', version: 'v1', groupPriorityMinimum: 1000, versionPriority: 100 })
    await expect.poll(listGroups).toContain('ropes.example.com')

    await call('PATCH', `${apiServices}/v1.ropes.example.com`, { spec: { groupPriorityMinimum: 5 } })
    await expect.poll(async () => (await readApiService('v1.ropes.example.com'))?.spec?.groupPriorityMinimum).toBe(1000)
    await call('DELETE', `${apiServices}/v1.ropes.example.com`)
    await expect.poll(() => readApiService('v1.ropes.example.com')).toBeDefined()

    await call('DELETE', `${definitions}/knots.ropes.example.com`)
    await expect.poll(() => readApiService('v1.ropes.example.com')).toBeUndefined()
    await expect.poll(listGroups).not.toContain('ropes.example.com')
  })

  it('registers groups that are installed while the server runs', async () => {
    const group = 'gadgets.example.com'
    const gadgets = defineResource({ group, version: 'v1', kind: 'Gadget', plural: 'gadgets', scope: 'Cluster', strategy: {} })
    const types = [jsonKinds({ group, version: 'v1' }, [{ kind: 'Gadget' }])]
    const installed = chain.install(defineApiGroup({ name: group, priority: 30_000, types, resources: [gadgets] }))
    await expect.poll(async () => (await readApiService(`v1.${group}`))?.spec?.groupPriorityMinimum).toBe(20_000)
    await expect.poll(async () => (await listGroups())[1]).toBe(group)
    await installed[Symbol.asyncDispose]()
    await expect.poll(() => readApiService(`v1.${group}`)).toBeUndefined()
  })
})

describe('another server', () => {
  const name = `v1.${echoGroup}`
  const services = '/api/v1/namespaces/default/services'
  const echo = `/apis/${echoGroup}/v1/namespaces/default/echoes/a`

  it('is available when its service exists and answers', async () => {
    const spec = {
      group: echoGroup,
      version: 'v1',
      groupPriorityMinimum: 1500,
      versionPriority: 20,
      insecureSkipTLSVerify: true,
      service: { namespace: 'default', name: 'echo', port: backend.port },
    }
    expect((await call('POST', apiServices, { metadata: { name }, spec })).code).toBe(201)
    await expect
      .poll(() => readAvailable(name))
      .toEqual({ status: 'False', reason: 'ServiceNotFound', message: 'service/echo in "default" is not present' })
    expect(await call('GET', echo)).toMatchObject({ code: 503, text: 'service unavailable\n' })
    expect((await call('GET', '/metrics')).text).toContain(
      `apiserver_request_terminations_total{code="503",component="aggregator",group="${echoGroup}",resource="echoes",scope="resource",subresource="",verb="GET",version="v1"} 1\n`,
    )

    const headless = { metadata: { name: 'echo' }, spec: { clusterIP: 'None', ports: [{ port: 1 }] } }
    expect((await call('POST', services, headless)).code).toBe(201)
    await expect
      .poll(() => readAvailable(name))
      .toEqual({
        status: 'False',
        reason: 'ServicePortError',
        message: `service/echo in "default" is not listening on port ${backend.port}`,
      })
    await call('DELETE', `${services}/echo`)

    const external = { metadata: { name: 'echo' }, spec: { type: 'ExternalName', externalName: 'localhost' } }
    expect((await call('POST', services, external)).code).toBe(201)
    await expect.poll(() => readAvailable(name)).toEqual({ status: 'True', reason: 'Passed', message: 'all checks passed' })
  })

  it('gets requests with the name of the user, after they are authorized', async () => {
    await expect.poll(async () => (await call('GET', echo)).code).toBe(200)
    backend.calls.length = 0
    const { code, body } = await call('GET', echo, undefined, { headers: { 'X-Remote-User': 'eve', 'X-Remote-Group': 'system:masters' } })
    expect([code, body.metadata.name]).toEqual([200, 'a'])
    const { headers } = backend.calls.find(({ path }) => path === echo)!
    expect(headers['x-remote-user']).toBe('ann')
    expect(headers['x-remote-group']).toBe('system:masters, system:authenticated')

    const refused = await call('GET', echo, undefined, { user: { name: 'bob', groups: [] } })
    expect(refused.code).toBe(403)
    expect(backend.calls.every(({ headers: sent }) => sent['x-remote-user'] !== 'bob')).toBe(true)
  })

  it('is part of discovery', async () => {
    expect((await listGroups()).at(-1)).toBe(echoGroup)
    const { body } = await call<{ versions: unknown[] }>('GET', `/apis/${echoGroup}`)
    expect(body.versions).toEqual([{ groupVersion: `${echoGroup}/v1`, version: 'v1' }])
    expect((await call<{ resources: unknown[] }>('GET', `/apis/${echoGroup}/v1`)).body.resources).toHaveLength(1)
    expect((await call<{ paths: string[] }>('GET', '/')).body.paths).toContain(`/apis/${echoGroup}/v1`)
  })

  it('is part of aggregated discovery, whichever form of discovery it has', async () => {
    const readEntry = async (): Promise<unknown> => {
      const { body } = await call<{ items: { metadata: { name: string }; versions: unknown[] }[] }>('GET', '/apis', undefined, {
        headers: { accept: aggregated },
      })
      return body.items.find(({ metadata }) => metadata.name === echoGroup)?.versions
    }
    const listed = { singularResource: 'echo', verbs: ['get', 'list'], shortNames: ['ec'] }
    const resource = { resource: 'echoes', responseKind: { group: '', version: '', kind: 'Echo' }, scope: 'Namespaced', ...listed }
    await expect.poll(readEntry).toEqual([{ version: 'v1', resources: [resource], freshness: 'Current' }])

    const items = [
      { metadata: { name: 'apps' }, versions: [{ version: 'v1', resources: [] }] },
      {
        metadata: { name: echoGroup },
        versions: [{ version: 'v1', resources: [{ ...resource, resource: 'newer', categories: ['all'] }] }],
      },
    ]
    backend.answers.set('/apis', (_request, response) => {
      response.writeHead(200, { 'content-type': aggregated, etag: '"1"' })
      response.end(JSON.stringify({ kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2', metadata: {}, items }))
    })
    await call('PATCH', `${apiServices}/${name}`, { spec: { versionPriority: 21 } })
    const newer = { ...resource, resource: 'newer', categories: ['all'] }
    await expect.poll(readEntry).toEqual([{ version: 'v1', resources: [newer], freshness: 'Current' }])

    backend.answers.set('/apis', (_request, response) => void response.writeHead(503).end())
    await call('PATCH', `${apiServices}/${name}`, { spec: { versionPriority: 22 } })
    await expect.poll(readEntry).toEqual([{ version: 'v1', freshness: 'Stale' }])
    backend.answers.delete('/apis')
    await expect.poll(readEntry).toEqual([{ version: 'v1', resources: [resource], freshness: 'Current' }])
  })

  it('lists its OpenAPI document, and serves it', async () => {
    const document = `openapi/v3/apis/${echoGroup}/v1`
    const url = `/${document}?hash=ABC`
    const elsewhere = { serverRelativeURL: 'https://elsewhere.example.com/' }
    backend.answers.set(
      '/openapi/v3',
      JSON.stringify({ paths: { [document.slice(11)]: { serverRelativeURL: url }, 'apis/apps/v1': elsewhere } }),
    )
    backend.answers.set(`/${document}`, '{"openapi":"3.0.0","info":{"title":"Echoes"}}')
    const readIndex = async (): Promise<Record<string, { serverRelativeURL: string } | undefined>> =>
      (await call<{ paths: Record<string, { serverRelativeURL: string }> }>('GET', '/openapi/v3')).body.paths
    const readUrl = async (): Promise<string | undefined> => (await readIndex())[document.slice(11)]?.serverRelativeURL
    // Makes the server read the index again.
    await call('DELETE', `${services}/echo`)
    await expect.poll(async () => (await readAvailable(name))['status']).toBe('False')
    await call('POST', services, { metadata: { name: 'echo' }, spec: { type: 'ExternalName', externalName: 'localhost' } })
    await expect.poll(readUrl).toBe(url)
    expect((await readIndex())['apis/apps/v1']?.serverRelativeURL).toMatch(/^.openapi.v3.apis.apps.v1.hash=/)
    await expect.poll(async () => (await call('GET', url)).text).toBe('{"openapi":"3.0.0","info":{"title":"Echoes"}}')
  })

  it('serves admission webhooks of the service kubernetes, which are called as this server', async () => {
    const path = `/apis/${echoGroup}/v1/reviews`
    backend.answers.set(path, (request, response) => {
      void readText(request).then((body) => {
        const { apiVersion, kind, request: reviewed } = JSON.parse(body) as KubeObject & { readonly request: { readonly uid: string } }
        const answer = { uid: reviewed.uid, allowed: false, status: { message: 'the echo says no' } }
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ apiVersion, kind, response: answer }))
      })
    })
    const webhook = {
      name: 'echo.example.org',
      clientConfig: { service: { namespace: 'default', name: 'kubernetes', path } },
      rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
    }
    const configurations = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations'
    expect((await call('POST', configurations, { metadata: { name: 'echo' }, webhooks: [webhook] })).code).toBe(201)
    backend.calls.length = 0
    const create = async (): Promise<Answer<{ message?: string }>> =>
      call<{ message?: string }>('POST', '/api/v1/namespaces/default/configmaps?dryRun=All', { metadata: { name: 'a' } })
    await expect
      .poll(async () => (await create()).body.message)
      .toBe('admission webhook "echo.example.org" denied the request: the echo says no')
    const { headers } = backend.calls.find((received) => received.path === path)!
    expect([headers['x-remote-user'], headers['x-remote-group']]).toEqual(['system:apiserver', 'system:masters, system:authenticated'])
    await call('DELETE', `${configurations}/echo`)
    await expect.poll(async () => (await create()).code).toBe(201)
  })

  it('takes over a built-in group version, and gives it back', async () => {
    const path = '/apis/batch/v1/namespaces/default/jobs'
    backend.answers.set('/apis/batch/v1', '{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"batch/v1","resources":[]}')
    backend.answers.set(path, '{"kind":"JobList","apiVersion":"batch/v1","metadata":{"resourceVersion":"other"},"items":[]}')
    await call('DELETE', `${apiServices}/v1.batch`)
    const service = { namespace: 'default', name: 'echo', port: backend.port }
    const spec = { group: 'batch', version: 'v1', groupPriorityMinimum: 17_400, versionPriority: 15, insecureSkipTLSVerify: true, service }
    expect((await call('POST', apiServices, { metadata: { name: 'v1.batch' }, spec })).code).toBe(201)
    const readVersion = async (): Promise<string | undefined> =>
      (await call<{ metadata?: { resourceVersion: string } }>('GET', path)).body?.metadata?.resourceVersion
    await expect.poll(readVersion).toBe('other')
    await call('DELETE', `${apiServices}/v1.batch`)
    await expect.poll(readVersion).toMatch(/^[0-9]+$/)
  })

  it('is no longer available when it answers with an error', async () => {
    backend.answers.set(`/apis/${echoGroup}/v1`, (_request, response) => void response.writeHead(500).end())
    // A change of the service makes the server check it at once.
    await call('PATCH', `${services}/echo`, { metadata: { labels: { changed: 'true' } } })
    const url = `https://localhost:${backend.port}/apis/${echoGroup}/v1`
    await expect
      .poll(() => readAvailable(name))
      .toEqual({
        status: 'False',
        reason: 'FailedDiscoveryCheck',
        message: `failing or missing response from ${url}: bad status from ${url}: 500`,
      })
    await expect.poll(async () => (await call('GET', echo)).code).toBe(503)
    expect((await call('GET', '/apis/apps/v1/namespaces/default/deployments')).code).toBe(200)
    const metrics = (await call('GET', '/metrics')).text
    expect(metrics).toContain(`aggregator_unavailable_apiservice{name="${name}"} 1`)
    expect(metrics).toContain(`aggregator_unavailable_apiservice_total{name="${name}",reason="FailedDiscoveryCheck"} 1`)
  })

  it('is forgotten when its APIService is deleted', async () => {
    await call('DELETE', `${apiServices}/${name}`)
    await expect.poll(async () => (await call('GET', echo)).text).toBe('404 page not found\n')
    expect(await listGroups()).not.toContain(echoGroup)
    expect((await call('GET', '/metrics')).text).not.toContain(`aggregator_unavailable_apiservice{name="${name}"}`)
  })
})
