import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openTestServer } from '../test-server.fixture.ts'
import type { TestServer } from '../test-server.fixture.ts'

let server: TestServer
beforeAll(async () => {
  server = await openTestServer()
})
afterAll(() => server[Symbol.asyncDispose]())

it('names each document by its hash, and lets clients cache that URL forever', async () => {
  const index = await server.request('GET', '/openapi/v3')
  const url = index.body.paths['api/v1'].serverRelativeURL as string
  const answer = await server.request('GET', url)
  const hash = createHash('sha512').update(answer.bytes).digest('hex').toUpperCase()
  expect(url).toBe(`/openapi/v3/api/v1?hash=${hash}`)
  expect(answer.headers).toMatchObject({ etag: `"${hash}"`, 'cache-control': 'public, immutable', vary: 'Accept' })
  const secondAnswer = await server.request('GET', '/openapi/v3/api/v1', undefined, { 'if-none-match': `"${hash}"` })
  expect(secondAnswer.status).toBe(304)
  const stale = await server.request('GET', '/openapi/v3/api/v1?hash=00')
  expect([stale.status, stale.headers['location']]).toEqual([301, url])
  expect((await server.request('GET', '/openapi/v3', undefined, { 'if-none-match': index.headers.etag! })).status).toBe(304)
  for (const path of ['apis/none/v1', 'api/v1/', ''])
    expect(await server.request('GET', `/openapi/v3/${path}`)).toMatchObject({ status: 404, text: '' })
})

it('documents have the fields that kubectl reads, and no broken references', async () => {
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
  for (const id of [
    'listCoreV1NamespacedConfigMap',
    'deleteCoreV1CollectionNamespacedConfigMap',
    'watchCoreV1ConfigMapListForAllNamespaces',
  ]) {
    expect(ids).toContain(id)
  }
  expect(schemas['io.k8s.apimachinery.pkg.apis.meta.v1.WatchEvent']).toHaveProperty('x-kubernetes-group-version-kind')
})

it('describes the responses of paths without a version', async () => {
  const { body } = await server.request('GET', '/openapi/v3')
  expect(Object.keys(body.paths)).toEqual(['api', 'api/v1', 'apis'])
  const group = await server.request('GET', '/openapi/v3/api')
  expect(group.body.paths['/api/'].get).toMatchObject({ operationId: 'getCoreAPIVersions', tags: ['core'] })
  expect(group.body.components.schemas).toHaveProperty(['io.k8s.apimachinery.pkg.apis.meta.v1.APIVersions'])
})

it('lists parameters once per path if all its operations have them', async () => {
  const { paths } = (await server.request('GET', '/openapi/v3/api/v1')).body
  const listNames = (parameters: readonly { name: string }[]): string[] => parameters.map(({ name }) => name)
  const watch = paths['/api/v1/watch/namespaces/{namespace}/configmaps']
  expect(watch.get).not.toHaveProperty('parameters')
  expect(listNames(watch.parameters)).toEqual(expect.arrayContaining(['namespace', 'pretty', 'watch']))
  const status = paths['/api/v1/namespaces/{name}/status']
  expect(listNames(status.parameters)).toEqual(['name', 'pretty'])
})

it('describes types, fields and parameters', async () => {
  const { paths, components } = (await server.request('GET', '/openapi/v3/api/v1')).body
  const meta = components.schemas['io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta']
  expect(meta.description).toMatch(/^Metadata that every stored object has/)
  expect(meta.properties.generateName.description).toContain('5 random characters')
  expect(meta.properties.creationTimestamp).toMatchObject({ allOf: [{}], description: expect.stringContaining('UTC') as unknown })
  expect(components.schemas['io.k8s.api.core.v1.ConfigMapList'].properties.items.description).toMatch(/^The objects/)
  const list = paths['/api/v1/namespaces/{namespace}/configmaps']
  const texts = new Map<string, string>([...list.parameters, ...list.get.parameters].map(({ name, description }) => [name, description]))
  expect(texts.get('namespace')).toContain('in the URL')
  expect(texts.get('limit')).toContain('metadata.continue')
  expect([...texts.values()]).not.toContain(undefined)
})

it('serves one OpenAPI v2 document for the whole server, as JSON and as protobuf', async () => {
  const json = await server.request('GET', '/openapi/v2')
  expect(json.headers).toMatchObject({ 'content-type': 'application/json', vary: 'Accept-Encoding, Accept' })
  const hash = createHash('sha512').update(json.bytes).digest('hex').toUpperCase()
  expect(json.headers.etag).toBe(`"${hash}"`)
  const { paths, definitions } = json.body
  const { patch } = paths['/api/v1/namespaces/{namespace}/configmaps/{name}']
  expect(patch.consumes).toContain('application/strategic-merge-patch+json')
  expect(patch.parameters[0]).toEqual({
    name: 'body',
    in: 'body',
    required: true,
    schema: { $ref: '#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.Patch' },
  })
  const description = expect.stringContaining('Default: Warn') as unknown
  expect(patch.parameters).toContainEqual({ name: 'fieldValidation', in: 'query', type: 'string', uniqueItems: true, description })
  expect(patch.responses['200']).toEqual({ description: 'OK', schema: { $ref: '#/definitions/io.k8s.api.core.v1.ConfigMap' } })
  expect(definitions['io.k8s.api.core.v1.ConfigMap'].properties.metadata).toEqual({
    description: expect.stringMatching(/^Name, namespace, labels/) as unknown,
    $ref: '#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta',
  })
  for (const [, name] of json.text.matchAll(/#\/definitions\/([^"]+)"/g)) expect(definitions).toHaveProperty([name!])
  expect(json.text).not.toContain('components/schemas')

  const older = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf'
  const message = await server.request('GET', '/openapi/v2', undefined, { accept: older })
  expect(message.headers).toMatchObject({
    'content-type': 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf',
    etag: json.headers.etag,
  })
  const fields = readMessage(message.bytes)
  expect([...fields.keys()]).toEqual([1, 2, 8, 9, 12, 13])
  const readNames = (list: Buffer, field: number): string[] =>
    readMessage(list)
      .get(field)!
      .map((entry) => decodeText(readMessage(entry).get(1)))
  expect(readNames(fields.get(8)![0]!, 2)).toEqual(Object.keys(paths))
  expect(readNames(fields.get(9)![0]!, 1)).toEqual(Object.keys(definitions))
})

it('negotiates the encoding of OpenAPI v2, and answers 304 if the document is unchanged', async () => {
  const { headers } = await server.request('GET', '/openapi/v2', undefined, { accept: 'text/html, */*;q=0.1' })
  expect(headers['content-type']).toBe('application/json')
  expect((await server.request('GET', '/openapi/v2', undefined, { accept: 'application/yaml' })).status).toBe(406)
  expect((await server.request('GET', '/openapi/v2', undefined, { 'if-none-match': headers.etag! })).status).toBe(304)
})

const decodeText = (values: Buffer[] | undefined): string => values![0]!.toString()

/** Returns the length-delimited fields of a protobuf message by field number. */
function readMessage(bytes: Buffer): Map<number, Buffer[]> {
  const fields = new Map<number, Buffer[]>()
  let at = 0
  const readVarint = (): number => {
    let value = 0
    for (let factor = 1; ; factor *= 128) {
      const byte = bytes[at++]!
      value += (byte & 127) * factor
      if (byte < 128) return value
    }
  }
  while (at < bytes.length) {
    const tag = readVarint()
    const length = readVarint()
    if (tag % 8 === 2) fields.set(tag >> 3, [...(fields.get(tag >> 3) ?? []), bytes.subarray(at, (at += length))])
  }
  return fields
}
