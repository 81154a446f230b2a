import { decodeUnknown, encodeUnknown } from '@keelson/api'
import { toYaml } from '@keelson/apimachinery/yaml'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findMetaType } from './meta-types.ts'
import { openTestServer } from '../test-server.fixture.ts'
import type { TestServer } from '../test-server.fixture.ts'

let server: TestServer
const maps = '/api/v1/namespaces/f/configmaps'
const protobuf = { accept: 'application/vnd.kubernetes.protobuf' }
const acceptTransform = (kind: string): Record<string, string> => ({ accept: `application/json;as=${kind};v=v1;g=meta.k8s.io` })

beforeAll(async () => {
  server = await openTestServer()
  for (const name of ['a', 'b']) {
    const metadata = { name, annotations: { q: '"}\\', r: '{' } }
    await server.request('POST', maps, { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { k: name } })
  }
})
afterAll(() => server[Symbol.asyncDispose]())

describe('protobuf', () => {
  it('accepts and produces protobuf', async () => {
    const json = (await server.request('GET', `${maps}/a`)).body
    const { headers, bytes } = await server.request('GET', `${maps}/a`, undefined, protobuf)
    expect(headers['content-type']).toBe('application/vnd.kubernetes.protobuf')
    const { gvk, raw } = decodeUnknown(bytes)
    const type = server.group.types.kind(gvk)!
    const { kind: _, apiVersion: __, ...object } = json
    expect(type.decodeProto(raw)).toEqual(object)
    const body = Buffer.from(encodeUnknown(gvk, type.encodeProto({ metadata: { name: 'fromproto' }, data: { x: 'y' } } as never)))
    const created = await server.request('POST', maps, body, { 'content-type': 'application/vnd.kubernetes.protobuf' })
    expect(created.body).toMatchObject({ metadata: { name: 'fromproto' }, data: { x: 'y' } })
    await server.request('DELETE', `${maps}/fromproto`)
  })

  it('encodes a list to the same bytes as the list type does', async () => {
    const json = (await server.request('GET', maps)).body
    const { bytes, headers } = await server.request('GET', maps, undefined, protobuf)
    expect(headers['content-length']).toBe(String(bytes.length))
    const { gvk, raw } = decodeUnknown(bytes)
    expect(gvk).toEqual({ group: '', version: 'v1', kind: 'ConfigMapList' })
    const type = server.group.types.kind(gvk)!
    const { kind: _, apiVersion: __, ...list } = json
    expect(type.decodeProto(raw)).toEqual(list)
    expect(Buffer.from(encodeUnknown(gvk, type.encodeProto(list))).equals(bytes)).toBe(true)
  })

  it('encodes errors as protobuf', async () => {
    const { status, bytes } = await server.request('GET', `${maps}/none`, undefined, protobuf)
    expect(status).toBe(404)
    const { gvk, raw } = decodeUnknown(bytes)
    expect(gvk.kind).toBe('Status')
    expect(findMetaType('Status').decodeProto(raw)).toMatchObject({
      code: 404,
      reason: 'NotFound',
    })
  })
})

describe('YAML', () => {
  it('accepts and produces YAML, also for lists and errors', async () => {
    const accept = 'application/yaml'
    for (const path of [maps, `${maps}/a`, `${maps}?labelSelector=none`, `${maps}/none`]) {
      const json = await server.request('GET', path)
      const yaml = await server.request('GET', path, undefined, { accept })
      expect(yaml.headers['content-type']).toBe('application/yaml')
      expect(yaml.text).toBe(toYaml(json.body))
    }
    const body = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: yy\ndata:\n  a: "1"\n  a: "2"\n'
    const strictAnswer = await server.request('POST', `${maps}?fieldValidation=Strict`, body, { 'content-type': 'application/yaml' })
    expect(strictAnswer.body.message).toContain('strict decoding error: yaml: unmarshal errors:\n  line 7: key "a" already set in map')
    const warningAnswer = await server.request('POST', `${maps}?dryRun=All`, body, { 'content-type': 'application/yaml' })
    expect(warningAnswer.body.data).toEqual({ a: '2' })
    expect(warningAnswer.headers['warning']).toBe('299 - "line 7: key \\"a\\" already set in map"')
  })
})

describe('indented JSON', () => {
  it('indents JSON on request and for known user agents', async () => {
    const compact = await server.request('GET', `${maps}/a`)
    expect(compact.text.endsWith('}\n')).toBe(true)
    for (const [path, headers] of [
      [`${maps}/a?pretty=1`, {}],
      [`${maps}/a`, { 'user-agent': 'curl/8.0' }],
      [`${maps}/a`, { accept: 'application/json;pretty=1' }],
    ] as [string, Record<string, string>][]) {
      expect((await server.request('GET', path, undefined, headers)).text).toBe(JSON.stringify(compact.body, undefined, 2))
    }
    for (const path of [maps, `${maps}?labelSelector=none`]) {
      const list = (await server.request('GET', path)).body
      expect((await server.request('GET', `${path}${path.includes('?') ? '&' : '?'}pretty=true`)).text).toBe(
        JSON.stringify(list, undefined, 2),
      )
    }
  })
})

describe('metadata-only responses', () => {
  it('metadata-only responses are copied from the stored bytes of the object', async () => {
    const fullObject = (await server.request('GET', `${maps}/a`)).body
    const partial = (await server.request('GET', `${maps}/a`, undefined, acceptTransform('PartialObjectMetadata'))).body
    expect(partial).toEqual({ kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: fullObject.metadata })
    const list = (await server.request('GET', maps, undefined, acceptTransform('PartialObjectMetadataList'))).body
    expect(list).toMatchObject({ kind: 'PartialObjectMetadataList', apiVersion: 'meta.k8s.io/v1' })
    expect(list.items[0]).toEqual(partial)
    const bytes = (
      await server.request('GET', maps, undefined, {
        accept: 'application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io',
      })
    ).bytes
    const { gvk, raw } = decodeUnknown(bytes)
    const decoded = findMetaType(gvk.kind).decodeProto(raw) as unknown as { items: { metadata: unknown }[] }
    expect(decoded.items.map((item) => item.metadata)).toEqual(list.items.map((item: { metadata: unknown }) => item.metadata))
  })

  it('an empty metadata-only list has null items', async () => {
    const emptyList = `${maps}?labelSelector=none`
    const [json, yaml] = ['application/json', 'application/yaml'].map((type) => `${type};as=PartialObjectMetadataList;v=v1;g=meta.k8s.io`)
    expect((await server.request('GET', emptyList, undefined, { accept: json! })).body.items).toBeNull()
    expect((await server.request('GET', `${emptyList}&pretty=true`, undefined, { accept: json! })).text).toContain('\n  "items": null\n}')
    expect((await server.request('GET', emptyList, undefined, { accept: yaml! })).text).toContain('\nitems: null\n')
    expect((await server.request('GET', emptyList, undefined, acceptTransform('Table'))).body.rows).toEqual([])
    expect((await server.request('GET', emptyList)).body.items).toEqual([])
  })

  it('rejects requests for the metadata of an object as a list, or of a list as an object', async () => {
    const readMessage = async (path: string, kind: string): Promise<string> =>
      (await server.request('GET', path, undefined, acceptTransform(kind))).body.message
    expect(await readMessage(maps, 'PartialObjectMetadata')).toContain('the requested object is a list (*core.ConfigMapList)')
    expect(await readMessage(`${maps}/a`, 'PartialObjectMetadataList')).toContain('the requested object is not a list (*core.ConfigMap)')
  })
})

describe('tables', () => {
  it('Tables have columns, cells and the requested part of the object', async () => {
    const table = (await server.request('GET', `${maps}/a`, undefined, acceptTransform('Table'))).body
    expect(table).toMatchObject({ kind: 'Table', apiVersion: 'meta.k8s.io/v1', rows: [{ cells: ['a', 1, expect.any(String)] }] })
    expect(table.metadata.resourceVersion).toBe(table.rows[0].object.metadata.resourceVersion)
    expect(table.rows[0].object.kind).toBe('PartialObjectMetadata')
    const list = (await server.request('GET', `${maps}?includeObject=Object`, undefined, acceptTransform('Table'))).body
    expect(list.rows.map((row: { object: { kind: string; data: unknown } }) => [row.object.kind, row.object.data])).toEqual([
      ['ConfigMap', { k: 'a' }],
      ['ConfigMap', { k: 'b' }],
    ])
    expect((await server.request('GET', `${maps}?includeObject=None`, undefined, acceptTransform('Table'))).body.rows[0].object).toBeNull()
    expect((await server.request('GET', `${maps}?includeObject=x`, undefined, acceptTransform('Table'))).status).toBe(400)
    expect((await server.request('GET', `${maps}?labelSelector=none`, undefined, acceptTransform('Table'))).body.rows).toEqual([])
  })

  it('a Table of an empty list has null rows if the kind has no columns', async () => {
    const readRows = async (path: string): Promise<unknown> =>
      (await server.request('GET', path, undefined, acceptTransform('Table'))).body.rows
    expect(await readRows('/api/v1/namespaces?labelSelector=none')).toBeNull()
    expect(await readRows(`${maps}?labelSelector=none`)).toEqual([])
  })

  it('rejects Tables of a subresource that has none', async () => {
    const requestStatus = async (path: string): Promise<number> =>
      (await server.request('GET', path, undefined, acceptTransform('Table'))).status
    await server.request('POST', '/api/v1/namespaces', { metadata: { name: 'f' } })
    expect(await Promise.all(['', '/status', '/finalize'].map((below) => requestStatus(`/api/v1/namespaces/f${below}`)))).toEqual([
      200, 200, 406,
    ])
    expect(await requestStatus('/api/v1/namespaces/none/finalize')).toBe(406)
  })
})

describe('media types', () => {
  it.each([
    [
      'application/xml',
      406,
      '406: Not Acceptable\n\nAvailable representations: application/json, application/yaml, application/vnd.kubernetes.protobuf',
    ],
    [
      'application/json;as=Table;v=v2;g=meta.k8s.io',
      406,
      'only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf',
    ],
    [
      'application/cbor',
      406,
      '406: Not Acceptable\n\nAvailable representations: application/json, application/yaml, application/vnd.kubernetes.protobuf',
    ],
  ])('rejects %s', async (accept, code, message) => {
    const answer = await server.request('GET', `${maps}/a`, undefined, { accept })
    expect(answer.headers['content-type']).toBe('application/json')
    expect(answer.body).toMatchObject({ code, message, reason: 'NotAcceptable' })
  })

  it('selects the first supported type of the Accept header', async () => {
    const accept = 'application/cbor, application/vnd.kubernetes.protobuf;q=0.1, application/json;q=0.9'
    expect((await server.request('GET', `${maps}/a`, undefined, { accept })).headers['content-type']).toBe('application/json')
    const table = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json'
    expect((await server.request('GET', `${maps}/a`, undefined, { accept: table })).body.kind).toBe('Table')
    expect((await server.request('GET', `${maps}/none`, undefined, { accept: table })).body).toMatchObject({ kind: 'Status', code: 404 })
  })

  it('rejects bodies of unknown types', async () => {
    const form = await server.request('POST', maps, 'a=b', { 'content-type': 'application/x-www-form-urlencoded' })
    expect(form.body).toMatchObject({
      code: 415,
      message:
        'the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf',
    })
    const patch = await server.request('PATCH', `${maps}/a`, '{}', { 'content-type': 'text/plain' })
    expect(patch.body).toMatchObject({ code: 415, message: '415: Unsupported Media Type', details: {} })
  })
})
