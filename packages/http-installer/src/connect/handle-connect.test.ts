import http from 'node:http'
import type { AddressInfo } from 'node:net'
import type { AdmissionAttributes, AdmissionChain } from '@keelson/registry'
import { newForbidden } from '@keelson/apimachinery'
import type { KubeObject } from '@keelson/apimachinery'
import { describeRESTStorage } from '@keelson/registry'
import type { Connecter, RESTStorage, Streamer } from '@keelson/registry'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { installAPIGroup } from '../index.ts'
import { openTestServer } from '../test-server.fixture.ts'
import type { TestServer } from '../test-server.fixture.ts'

let server: TestServer
let remote: http.Server
const admitted: AdmissionAttributes[] = []
const connections: { readonly name: string; readonly options: KubeObject }[] = []
const authorized: string[] = []

const admission: AdmissionChain = {
  handles: () => true,
  admit: (attributes) => {
    if (attributes.operation !== 'CONNECT') return
    admitted.push(attributes)
    if (attributes.name === 'unwanted') throw newForbidden({ group: '', resource: 'pods' }, 'unwanted', 'no')
  },
  validate: () => {},
}

const createKind = (name: string) => ({ group: '', version: 'v1', kind: name })
const base = '/apis/example.com/v1/namespaces/default/things/t'

beforeAll(async () => {
  remote = http.createServer((request, response) => {
    if (request.url?.startsWith('/missing')) response.writeHead(404)
    response.end(request.url)
  })
  await new Promise<void>((resolve) => remote.listen(0, '127.0.0.1', resolve))
  const { port } = remote.address() as AddressInfo
  const createTarget = (path: string) => ({ scheme: 'http', host: '127.0.0.1', port: String(port), path, query: 'own=1' }) as const
  const exec: RESTStorage & Connecter = {
    ...describeRESTStorage(createKind('PodExecOptions')),
    connectMethods: ['GET', 'POST'],
    connectOptions: { kind: 'PodExecOptions', members: { command: 'strings', tty: 'boolean', stdin: 'boolean' } },
    connectNeedsCreate: true,
    async connect(_context, name, options) {
      connections.push({ name, options })
      return { remote: createTarget('/'), passes: 'upgrade' }
    },
  }
  const proxy: RESTStorage & Connecter = {
    ...describeRESTStorage(createKind('PodProxyOptions')),
    connectMethods: ['GET', 'HEAD', 'OPTIONS'],
    connectOptions: { kind: 'PodProxyOptions', members: { path: 'string' }, path: true },
    async connect(_context, name, options) {
      connections.push({ name, options })
      return { remote: createTarget('/remote'), passes: 'proxy' }
    },
  }
  const log: RESTStorage & Streamer = {
    ...describeRESTStorage(createKind('Pod')),
    streamType: 'text/plain',
    streamOptions: { kind: 'PodLogOptions', members: { tailLines: 'integer', sinceTime: 'time' } },
    async openStream(_context, name, options) {
      connections.push({ name, options })
      return name === 'empty' ? undefined : { remote: createTarget(name === 'missing' ? '/missing' : '/log'), resource: 'things/log' }
    },
  }
  server = await openTestServer({ admission, authorizeConnect: ({ attributes }) => void authorized.push(attributes.resource) })
  const storage = new Map([
    [
      'v1',
      new Map<string, RESTStorage>([
        ['things/exec', exec],
        ['things/proxy', proxy],
        ['things/log', log],
      ]),
    ],
  ])
  installAPIGroup(server.app, { ...server.group, group: 'example.com', versions: [{ group: 'example.com', version: 'v1' }], storage })
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  remote.close()
})

test('admission receives the options, and a GET requires the permission to create', async () => {
  const answer = await server.request('GET', `${base}/exec?command=sh&command=-c&tty=&stdin=false&unknown=1`)
  expect(answer.body).toMatchObject({ code: 400, message: 'Upgrade request required' })
  expect(connections.at(-1)).toEqual({ name: 't', options: { command: ['sh', '-c'], tty: true } })
  expect(admitted.at(-1)).toMatchObject({ operation: 'CONNECT', subresource: 'exec', name: 't', object: { tty: true }, options: {} })
  expect(authorized).toHaveLength(1)
  const oldCount = connections.length
  expect((await server.request('POST', base.replace(/t$/, 'unwanted/exec'))).status).toBe(403)
  expect((await server.request('POST', `${base}/exec?dryRun=All`)).body).toMatchObject({ code: 400, message: 'dryRun is not supported' })
  expect((await server.request('DELETE', `${base}/exec`)).status).toBe(405)
  expect((await server.request('GET', `${base}/exec/more`)).status).toBe(404)
  expect(connections).toHaveLength(oldCount)
})

test("forwards any Accept header and any allowed method, with the client's query", async () => {
  const answer = await server.request('GET', `${base}/proxy?a=b`, undefined, { accept: 'image/png' })
  expect([answer.status, answer.text]).toEqual([200, '/remote?a=b'])
  expect((await server.request('OPTIONS', `${base}/proxy/x`)).status).toBe(200)
  expect((await server.request('PUT', `${base}/proxy/x`)).status).toBe(405)
})

test('streams bytes from a remote, or an empty response', async () => {
  const answer = await server.request('GET', `${base}/log?tailLines=5&sinceTime=2026-01-01T01:00:00%2B01:00`, undefined, {
    accept: 'application/json, */*',
  })
  expect([answer.status, answer.headers['content-type'], answer.text]).toEqual([200, 'text/plain', '/log?own=1'])
  expect(connections.at(-1)!.options).toEqual({ tailLines: 5, sinceTime: '2026-01-01T00:00:00Z' })
  expect((await server.request('GET', base.replace(/t$/, 'empty/log'))).status).toBe(204)
  expect((await server.request('GET', base.replace(/t$/, 'missing/log'))).body).toMatchObject({
    code: 404,
    message: 'the server could not find the requested resource ( things/log missing)',
  })
  expect((await server.request('GET', `${base}/log?sinceTime=yesterday`)).body).toMatchObject({ code: 400, reason: 'BadRequest' })
  expect((await server.request('GET', `${base}/log`, undefined, { accept: 'image/png' })).status).toBe(406)
  const requestAs = async (kind: string) =>
    (await server.request('GET', `${base}/log`, undefined, { accept: `application/json;as=${kind};v=v1;g=meta.k8s.io` })).body
  expect(await requestAs('Table')).toMatchObject({ code: 406, message: expect.stringContaining('only the following media types') })
  expect(await requestAs('PartialObjectMetadata')).toMatchObject({ code: 500 })
  expect(await requestAs('PartialObjectMetadataList')).toMatchObject({
    code: 406,
    message: expect.stringContaining('(*rest.LocationStreamer)'),
  })
})

test('connect subresources appear in discovery and OpenAPI', async () => {
  const { resources } = (await server.request('GET', '/apis/example.com/v1')).body
  expect(
    resources.map(({ name, kind: of, verbs }: { name: string; kind: string; verbs: string[] }) => `${name} ${of} ${verbs.join()}`),
  ).toEqual(['things/exec PodExecOptions create,get', 'things/log Pod get', 'things/proxy PodProxyOptions get'])
  const { paths } = (await server.request('GET', '/openapi/v3/apis/example.com/v1')).body
  const path = '/apis/example.com/v1/namespaces/{namespace}/things/{name}'
  expect(Object.keys(paths).filter((of) => of.startsWith(path))).toEqual([
    `${path}/exec`,
    `${path}/proxy`,
    `${path}/proxy/{path}`,
    `${path}/log`,
  ])
  expect(paths[`${path}/exec`].post['x-kubernetes-action']).toBe('connect')
})
