import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestServer } from '../test-server.fixture.ts'
import type { Answer, TestServer } from '../test-server.fixture.ts'

const merge = 'application/merge-patch+json'
const strategic = 'application/strategic-merge-patch+json'
const nameless = 'the name of the object (a based on URL) was undeterminable: name must be provided'

let server: TestServer
beforeAll(async () => {
  server = await openTestServer()
  await server.request('POST', '/api/v1/namespaces/default/configmaps', {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'a' },
    data: { z: '1', b: '2' },
  })
})
afterAll(() => server[Symbol.asyncDispose]())

function patch(type: string, body: unknown, query = ''): Promise<Answer> {
  return server.request('PATCH', `/api/v1/namespaces/default/configmaps/a?dryRun=All${query}`, body, { 'content-type': type })
}

describe('a patch that changes kind or apiVersion', () => {
  it.each([
    [merge, { kind: null }],
    [merge, { kind: '' }],
    [strategic, { kind: null }],
    [strategic, { apiVersion: null, kind: null }],
    [strategic, { apiVersion: 'v9', kind: 'Foo' }],
  ])('a %s patch to %j changes nothing', async (type, body) => {
    expect((await patch(type, body)).body).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap', data: { z: '1' } })
  })

  it.each([
    [merge, { apiVersion: null }, 400, nameless],
    [merge, { apiVersion: null, kind: null }, 400, nameless],
    [strategic, { $patch: 'delete' }, 400, nameless],
    [merge, { apiVersion: null, kind: 'Nope' }, 422, 'no kind "Nope" is registered for the internal version of group ""'],
    [merge, { apiVersion: null, kind: 'Secret' }, 422, 'converting (core.Secret) to (core.ConfigMap): unknown conversion'],
    [merge, { apiVersion: 'v9' }, 422, 'no kind "ConfigMap" is registered for version "v9"'],
    [merge, { kind: 'Foo' }, 422, 'no kind "Foo" is registered for version "v1"'],
    [
      merge,
      { kind: 1 },
      422,
      "couldn't get version/kind; json parse error: json: cannot unmarshal number into Go struct field .kind of type string",
    ],
    [strategic, { kind: 1 }, 422, 'cannot convert int64 to string'],
  ])('rejects a %s patch to %j', async (type, body, code, message) => {
    expect((await patch(type, body)).body).toMatchObject({ code, message: expect.stringContaining(message) })
  })
})

it('treats all fields of an object without a version as unknown, and reports them under field validation', async () => {
  const unversioned = { apiVersion: null, zz: 1 }
  expect((await patch(merge, unversioned)).headers['warning']).toBe(
    ['data', 'metadata', 'zz'].map((name) => `299 - "unknown field \\"${name}\\""`).join(', '),
  )
  expect((await patch(merge, unversioned, '&fieldValidation=Strict')).body).toMatchObject({
    code: 422,
    message: expect.stringContaining('strict decoding error: unknown field "data", unknown field "metadata", unknown field "zz"'),
  })
  expect((await patch(merge, unversioned, '&fieldValidation=Ignore')).headers['warning']).toBeUndefined()
})

it('reports unknown fields in the order of the patched document', async () => {
  expect((await patch(merge, { zz: 1, aa: 2 })).headers['warning']).toBe('299 - "unknown field \\"aa\\"", 299 - "unknown field \\"zz\\""')
})

it('sorts the members of changed objects by name, and keeps the order elsewhere', async () => {
  const { message } = (await patch(merge, { metadata: { labels: 'x' } })).body
  expect(message).toMatch(
    /"\{\\"apiVersion\\":\\"v1\\",\\"data\\":\{\\"b\\":\\"2\\",\\"z\\":\\"1\\"\},\\"kind\\":\\"ConfigMap\\",\\"metadata\\":\{\\"creationTimestamp\\"/,
  )
  expect((await patch(merge, { data: 1 })).body.message).toMatch(
    /\\"metadata\\":\{\\"name\\":\\"a\\",\\"namespace\\":\\"default\\",\\"uid\\":[^,]*,\\"resourceVersion\\":[^,]*,\\"creationTimestamp\\"/,
  )
})
