import http from 'node:http'
import { encodeUnknown } from '@keelson/api'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findMetaType } from '../encoding/meta-types.ts'
import { openTestServer } from '../test-server.fixture.ts'
import type { TestServer } from '../test-server.fixture.ts'

let server: TestServer
beforeAll(async () => {
  server = await openTestServer()
})
afterAll(() => server[Symbol.asyncDispose]())

const formatConfigMapsPath = (namespace: string, rest = ''): string => `/api/v1/namespaces/${namespace}/configmaps${rest}`
const map = (name: string, data: Record<string, string> = { a: '1' }, metadata: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, ...metadata },
  data,
})

describe('one object', () => {
  it('creates, reads, updates, patches and deletes an object', async () => {
    const created = await server.request('POST', formatConfigMapsPath('crud'), map('a'))
    expect(created.status).toBe(201)
    expect(created.headers['content-type']).toBe('application/json')
    expect(Number(created.headers['content-length'])).toBe(created.bytes.length)
    expect(created.body).toMatchObject({
      kind: 'ConfigMap',
      apiVersion: 'v1',
      metadata: { name: 'a', namespace: 'crud' },
      data: { a: '1' },
    })
    expect((await server.request('GET', formatConfigMapsPath('crud', '/a'))).body).toEqual(created.body)
    const { resourceVersion } = created.body.metadata
    const updated = await server.request('PUT', formatConfigMapsPath('crud', '/a'), map('a', { a: '2' }, { resourceVersion }))
    expect(updated.status).toBe(200)
    const conflict = await server.request('PUT', formatConfigMapsPath('crud', '/a'), map('a', { a: '3' }, { resourceVersion }))
    expect(conflict.body).toMatchObject({ reason: 'Conflict', code: 409 })
    const patches: [string, unknown, object][] = [
      ['application/json-patch+json', [{ op: 'add', path: '/data/b', value: '2' }], { a: '2', b: '2' }],
      ['application/merge-patch+json', { data: { a: null } }, { b: '2' }],
      ['application/strategic-merge-patch+json', { data: { c: '3' } }, { b: '2', c: '3' }],
    ]
    for (const [type, patch, data] of patches) {
      const patched = await server.request('PATCH', formatConfigMapsPath('crud', '/a'), patch, { 'content-type': type })
      expect(patched.status, patched.text).toBe(200)
      expect(patched.body.data).toEqual(data)
    }
    const deleted = await server.request('DELETE', formatConfigMapsPath('crud', '/a'))
    expect(deleted.body).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Success',
      details: { name: 'a', kind: 'configmaps', uid: created.body.metadata.uid },
    })
    expect((await server.request('GET', formatConfigMapsPath('crud', '/a'))).status).toBe(404)
  })

  it('a patch without effect returns the object, or the patched document where lists and maps are merged', async () => {
    await server.request('POST', formatConfigMapsPath('nowhere'), map('a', { a: '1' }))
    const patch = async (type: string): Promise<string> => {
      const headers = { 'content-type': `application/${type}+json` }
      const answer = await server.request(
        'PATCH',
        `${formatConfigMapsPath('nowhere', '/a')}?fieldValidation=Strict`,
        { more: [1], data: { b: null } },
        headers,
      )
      expect(answer.status).toBe(422)
      return answer.body.message as string
    }
    expect(await patch('strategic-merge-patch')).toBe(
      ' "" is invalid: patch: Invalid value: "map[data:map[b:<nil>] more:[1]]": strict decoding error: unknown field "more"',
    )
    const misfit = await server.request(
      'PATCH',
      formatConfigMapsPath('nowhere', '/a'),
      { data: { a: 1 } },
      { 'content-type': 'application/strategic-merge-patch+json' },
    )
    expect(misfit.body.message).toBe(' "" is invalid: patch: Invalid value: "map[data:map[a:1]]": cannot convert int64 to string')
    expect(await patch('merge-patch')).toMatch(
      /^ "" is invalid: patch: Invalid value: "\{.*\}": strict decoding error: unknown field "more"$/,
    )
    const misfits = await server.request(
      'PATCH',
      formatConfigMapsPath('nowhere', '/a'),
      { data: { z: 1, b: true } },
      { 'content-type': 'application/merge-patch+json' },
    )
    expect(misfits.body.message).toMatch(/: json: cannot unmarshal bool into Go struct field ConfigMap\.data of type string$/)
  })

  it('rejects an object with another name, namespace, kind or version than the URL', async () => {
    await server.request('POST', formatConfigMapsPath('wrong'), map('x'))
    const cases: [string, string, unknown, number, string][] = [
      ['PUT', '/x', map('y'), 400, 'the name of the object (y) does not match the name on the URL (x)'],
      [
        'POST',
        '',
        map('x', {}, { namespace: 'other' }),
        400,
        'the namespace of the provided object does not match the namespace sent on the request',
      ],
      [
        'POST',
        '',
        { ...map('x'), kind: 'Pod' },
        400,
        'Pod in version "v1" cannot be handled as a ConfigMap: converting (v1.Pod) to (core.ConfigMap): unknown conversion',
      ],
      [
        'POST',
        '',
        '',
        400,
        "the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; json parse error: unexpected end of JSON input (<empty>)",
      ],
      [
        'POST',
        '',
        '{"apiVersion":"v1","kind":"ConfigMap",',
        400,
        `the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; json parse error: unexpected end of JSON input ({"apiVersion":"v1","kind":"Con ...)`,
      ],
    ]
    for (const [method, rest, body, code, message] of cases) {
      const answer = await server.request(method, formatConfigMapsPath('wrong', rest), body)
      expect(answer.body).toMatchObject({ code, message })
    }
  })

  it('a dry run of a create returns an object without resourceVersion', async () => {
    const dryRun = await server.request('POST', formatConfigMapsPath('dry', '?dryRun=All'), map('a'))
    expect(dryRun.status).toBe(201)
    expect(dryRun.body.metadata.resourceVersion).toBeUndefined()
    expect((await server.request('GET', formatConfigMapsPath('dry', '/a'))).status).toBe(404)
  })
})

describe('unknown and repeated fields', () => {
  const body = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"f"},"data":{"a":"1","a":"2"},"bogus":1}'
  it('rejects, reports or ignores unknown and repeated fields', async () => {
    const strict = await server.request('POST', formatConfigMapsPath('fields', '?fieldValidation=Strict'), body)
    expect(strict.body.message).toBe(
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: duplicate field "data.a", unknown field "bogus"',
    )
    const warningAnswer = await server.request('POST', formatConfigMapsPath('fields', '?dryRun=All'), body)
    expect(warningAnswer.status).toBe(201)
    expect(warningAnswer.headers['warning']).toBe('299 - "duplicate field \\"data.a\\"", 299 - "unknown field \\"bogus\\""')
    const ignored = await server.request('POST', formatConfigMapsPath('fields', '?fieldValidation=Ignore'), body)
    expect(ignored.headers['warning']).toBeUndefined()
    expect(ignored.body.data).toEqual({ a: '2' })
  })
})

describe('paths and methods', () => {
  it('answers 404 and 405 for unknown paths and methods', async () => {
    expect((await server.request('GET', formatConfigMapsPath('p').replace('configmaps', 'nosuch'))).body).toMatchObject({
      code: 404,
      message: 'the server could not find the requested resource',
      details: {},
    })
    expect((await server.request('GET', '/apis/nosuch/v1/things')).text).toBe('404 page not found\n')
    expect((await server.request('PUT', formatConfigMapsPath('p'), map('x'))).body).toMatchObject({
      code: 405,
      reason: 'MethodNotAllowed',
      details: {},
    })
    expect((await server.request('DELETE', '/api/v1/configmaps')).status).toBe(405)
    expect((await server.request('DELETE', '/api/v1/namespaces')).status).toBe(405)
  })

  it('distinguishes a namespace, its subresources and its resources', async () => {
    await server.request('POST', '/api/v1/namespaces', { metadata: { name: 'n' } })
    await server.request('POST', formatConfigMapsPath('n'), map('in'))
    expect((await server.request('GET', '/api/v1/namespaces/n')).body.kind).toBe('Namespace')
    expect((await server.request('GET', '/api/v1/namespaces/n/status')).body.kind).toBe('Namespace')
    expect((await server.request('GET', formatConfigMapsPath('n'))).body.items).toHaveLength(1)
    const allNamespaces = (await server.request('GET', '/api/v1/configmaps')).body
    expect(allNamespaces.items.map((item: { metadata: { name: string } }) => item.metadata.name)).toContain('in')
  })

  it('rejects a body that is too large without reading it', async () => {
    const answer = await server.request('POST', formatConfigMapsPath('p'), map('big', { a: 'x'.repeat(3 * 1024 * 1024) }))
    expect(answer.body).toMatchObject({ code: 413, message: 'Request entity too large: limit is 3145728' })
  })

  it('hides internal errors', async () => {
    const broken = await openTestServer({
      admission: { handles: () => true, admit: () => Promise.reject(new Error('secret')), validate: async () => {} },
    })
    const answer = await broken.request('POST', formatConfigMapsPath('p'), map('x'))
    expect(answer.status).toBe(500)
    expect(answer.text).not.toContain('secret')
    expect(broken.errors).toHaveLength(1)
    await broken[Symbol.asyncDispose]()
  })
})

describe('delete options', () => {
  const type = findMetaType('DeleteOptions')
  const failingOptions = { preconditions: { resourceVersion: '1' } }
  it.each([
    ['JSON', JSON.stringify({ apiVersion: 'v1', kind: 'DeleteOptions', ...failingOptions }), 'application/json'],
    [
      'JSON of another group',
      JSON.stringify({ apiVersion: 'meta.k8s.io/v1', kind: 'DeleteOptions', ...failingOptions }),
      'application/json',
    ],
    ['YAML', 'preconditions: {resourceVersion: "1"}', 'application/yaml'],
    [
      'protobuf',
      Buffer.from(encodeUnknown({ group: '', version: 'v1', kind: 'DeleteOptions' }, type.encodeProto(failingOptions as never))),
      'application/vnd.kubernetes.protobuf',
    ],
  ])('reads delete options from %s', async (_, body, contentType) => {
    await server.request('POST', formatConfigMapsPath('del'), map('d'))
    const answer = await server.request('DELETE', formatConfigMapsPath('del', '/d'), body, { 'content-type': contentType })
    expect(answer.body).toMatchObject({ code: 409, reason: 'Conflict' })
  })

  it('reads delete options from the query if there is no body', async () => {
    expect((await server.request('DELETE', formatConfigMapsPath('del', '/d?resourceVersion=1'))).status).toBe(409)
    expect((await server.request('DELETE', formatConfigMapsPath('del', '/d?gracePeriodSeconds=x'))).body.message).toBe(
      'strconv.ParseInt: parsing "x": invalid syntax',
    )
    expect((await server.request('DELETE', formatConfigMapsPath('del', '/d?propagationPolicy=No'))).body.message).toContain(
      'DeleteOptions.meta.k8s.io "" is invalid: propagationPolicy: Unsupported value: "No"',
    )
    expect((await server.request('DELETE', formatConfigMapsPath('del', '/d'), { kind: 'Pod', apiVersion: 'v1' })).status).toBe(400)
    const deleteWith = async (dryRun: unknown): Promise<string> =>
      (await server.request('DELETE', formatConfigMapsPath('del', '/d'), { kind: 'CreateOptions', apiVersion: 'v1', dryRun })).body
        .message as string
    expect(await deleteWith('All')).toBe('json: cannot unmarshal string into Go struct field CreateOptions.dryRun of type []string')
    expect(await deleteWith(['All'])).toBe('converting (v1.CreateOptions) to (v1.DeleteOptions): unknown conversion')
    expect((await server.request('DELETE', formatConfigMapsPath('del', '/d?dryRun=All'))).body.status).toBe('Success')
    expect((await server.request('DELETE', formatConfigMapsPath('del', '/d'))).status).toBe(200)
  })
})

describe('lost races', () => {
  it('applies a patch again to the newer object after a concurrent write', async () => {
    await server.request('POST', formatConfigMapsPath('race'), map('r', {}))
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, i) =>
        server.request(
          'PATCH',
          formatConfigMapsPath('race', '/r'),
          { data: { [`k${i}`]: 'v' } },
          { 'content-type': 'application/merge-patch+json' },
        ),
      ),
    )
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 200))
    expect(Object.keys((await server.request('GET', formatConfigMapsPath('race', '/r'))).body.data)).toHaveLength(8)
  })
})

describe('collections', () => {
  it.each([
    ['?labelSelector=a%29&limit=x', 400, 'strconv.ParseInt: parsing "x": invalid syntax'],
    ['?resourceVersion=x', 400, 'invalid resource version: resourceVersion: Invalid value: "x"'],
    ['?resourceVersion=x&watch=1', 500, 'resourceVersion: Invalid value: "x": strconv.ParseUint'],
  ])('rejects a list with %s', async (query, code, message) => {
    const { body } = await server.request('GET', formatConfigMapsPath('list', query))
    expect(body).toMatchObject({ code, message: expect.stringMatching(new RegExp(`^${message}`)) })
  })

  it('lists a collection in pages, selects objects and deletes the collection', async () => {
    for (let i = 0; i < 5; i++)
      await server.request('POST', formatConfigMapsPath('list'), map(`c${i}`, {}, { labels: { par: i % 2 ? 'odd' : 'even' } }))
    const first = (await server.request('GET', formatConfigMapsPath('list', '?limit=2'))).body
    expect(first).toMatchObject({ kind: 'ConfigMapList', apiVersion: 'v1', metadata: { remainingItemCount: 3 } })
    expect(first.items[0].kind).toBeUndefined()
    const secondPage = (await server.request('GET', formatConfigMapsPath('list', `?limit=5&continue=${first.metadata.continue}`))).body
    expect(secondPage.items).toHaveLength(3)
    const oddItems = (await server.request('GET', formatConfigMapsPath('list', '?labelSelector=par%3Dodd'))).body
    expect(oddItems.items).toHaveLength(2)
    expect((await server.request('GET', formatConfigMapsPath('list', '?fieldSelector=data.v%3D1'))).body.message).toBe(
      '"data.v" is not a known field selector: only "metadata.name", "metadata.namespace"',
    )
    expect((await server.request('GET', formatConfigMapsPath('list', '?resourceVersionMatch=Exact'))).body).toMatchObject({
      code: 422,
      reason: 'Invalid',
    })
    expect((await server.request('GET', formatConfigMapsPath('list', '?limit=x'))).body.message).toBe(
      'strconv.ParseInt: parsing "x": invalid syntax',
    )
    const deleted = (await server.request('DELETE', formatConfigMapsPath('list', '?labelSelector=par%3Dodd'))).body
    expect(deleted.items).toHaveLength(2)
    expect((await server.request('GET', formatConfigMapsPath('list'))).body.items).toHaveLength(3)
  })

  it('sends a short list with a content length, and streams a long list', async () => {
    const short = await server.request('GET', formatConfigMapsPath('none'))
    expect(short.headers['content-length']).toBe(String(short.bytes.length))
    expect(short.body.items).toEqual([])
    for (let i = 0; i < 40; i++)
      await server.request('POST', formatConfigMapsPath('long'), map(`m${i}`, { v: String(i).repeat(i === 7 ? 300_000 : 20_000) }))
    const long = await server.request('GET', formatConfigMapsPath('long'))
    expect(long.bytes.length).toBeGreaterThan(1_000_000)
    expect(long.headers['content-length']).toBe(String(long.bytes.length))
    expect(long.body.items).toHaveLength(40)
    for (const item of long.body.items) {
      expect((await server.request('GET', formatConfigMapsPath('long', `/${item.metadata.name}`))).body).toEqual({
        kind: 'ConfigMap',
        apiVersion: 'v1',
        ...item,
      })
    }
  })

  it('a client that disconnects during a list does not affect other clients', async () => {
    const errorCount = server.errors.length
    await Promise.all(
      Array.from({ length: 10 }, (_, i) => {
        const request = http.get(`${server.base}${formatConfigMapsPath('long')}`, (message) =>
          message.once('data', () => request.destroy()),
        )
        request.on('error', () => {})
        if (i % 2) setTimeout(() => request.destroy(), i)
        return new Promise((resolve) => request.once('close', resolve))
      }),
    )
    expect((await server.request('GET', formatConfigMapsPath('long'))).body.items).toHaveLength(40)
    expect(server.errors.slice(errorCount)).toEqual([])
  })
})
