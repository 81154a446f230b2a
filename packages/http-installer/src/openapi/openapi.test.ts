import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openTestServer } from '../test-server.fixture.ts'
import type { TestServer } from '../test-server.fixture.ts'

let server: TestServer
beforeAll(async () => {
  server = await openTestServer()
})
afterAll(() => server[Symbol.asyncDispose]())

it('names each document by its hash, and serves it under that name for ever', async () => {
  const index = await server.request('GET', '/openapi/v3')
  const url = index.body.paths['api/v1'].serverRelativeURL as string
  const answer = await server.request('GET', url)
  const hash = createHash('sha512').update(answer.bytes).digest('hex').toUpperCase()
  expect(url).toBe(`/openapi/v3/api/v1?hash=${hash}`)
  expect(answer.headers).toMatchObject({ etag: `"${hash}"`, 'cache-control': 'public, immutable', vary: 'Accept' })
  const again = await server.request('GET', '/openapi/v3/api/v1', undefined, { 'if-none-match': `"${hash}"` })
  expect(again.status).toBe(304)
  const stale = await server.request('GET', '/openapi/v3/api/v1?hash=00')
  expect([stale.status, stale.headers['location']]).toEqual([301, url])
  expect((await server.request('GET', '/openapi/v3', undefined, { 'if-none-match': index.headers.etag! })).status).toBe(304)
  expect((await server.request('GET', '/openapi/v3/apis/none/v1')).status).toBe(404)
})

it('has what kubectl looks for, and every reference leads somewhere', async () => {
  const { body, text } = await server.request('GET', '/openapi/v3/api/v1')
  const { patch } = body.paths['/api/v1/namespaces/{namespace}/configmaps/{name}']
  expect(patch['x-kubernetes-group-version-kind']).toEqual({ group: '', version: 'v1', kind: 'ConfigMap' })
  expect(patch.parameters.map((parameter: { name: string }) => parameter.name)).toContain('fieldValidation')
  expect(patch.requestBody.content).toHaveProperty('application/strategic-merge-patch+json')
  const schemas = body.components.schemas as Record<
    string,
    { 'x-kubernetes-group-version-kind'?: unknown; properties: Record<string, object> }
  >
  expect(schemas['io.k8s.api.core.v1.ConfigMap']!['x-kubernetes-group-version-kind']).toEqual([
    { group: '', version: 'v1', kind: 'ConfigMap' },
  ])
  expect(schemas['io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta']!.properties['ownerReferences']).toMatchObject({
    'x-kubernetes-patch-merge-key': 'uid',
    'x-kubernetes-patch-strategy': 'merge',
  })
  for (const [, name] of text.matchAll(/#\/components\/schemas\/([^"]+)"/g)) expect(schemas).toHaveProperty([name!])
  const ids = [...text.matchAll(/"operationId":"([^"]+)"/g)].map(([, id]) => id)
  expect(new Set(ids).size).toBe(ids.length)
  expect(ids).toContain('listCoreV1NamespacedConfigMap')
})
