import * as cbor from '@keelson/apimachinery/cbor'
import { describe, expect, it } from 'vitest'
import http from 'node:http'
import { openTestServer } from '../test-server.fixture.ts'
import type { TestServer } from '../test-server.fixture.ts'

const collection = '/api/v1/namespaces/default/configmaps'
const cborHeaders = { 'content-type': 'application/cbor', accept: 'application/cbor' }
const encode = (value: unknown): Buffer => cbor.encodeCborDocument(value)
// oxlint-disable-next-line typescript/no-explicit-any
const decode = (bytes: Buffer): any => cbor.decodeCbor(bytes)
const configMap = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'a' }, data: { k: 'v' } }

describe('CBOR', () => {
  it('accepts and produces CBOR for objects, lists and errors', async () => {
    await using server = await openTestServer({ cbor })
    const created = await server.request('POST', collection, encode(configMap), cborHeaders)
    expect(created.status).toBe(201)
    expect(created.headers['content-type']).toBe('application/cbor')
    expect(created.bytes.subarray(0, 3).toString('hex')).toBe('d9d9f7')
    expect(decode(created.bytes)).toMatchObject(configMap)
    const list = await server.request('GET', collection, undefined, { accept: 'application/cbor' })
    expect(decode(list.bytes)).toMatchObject({ kind: 'ConfigMapList', apiVersion: 'v1', items: [{ metadata: { name: 'a' } }] })
    expect(decode(list.bytes).items[0]).not.toHaveProperty('kind')
    const missingObject = await server.request('GET', `${collection}/b`, undefined, { accept: 'application/cbor' })
    expect(missingObject.status).toBe(404)
    expect(decode(missingObject.bytes)).toMatchObject({ kind: 'Status', reason: 'NotFound' })
    const deleted = await server.request('DELETE', `${collection}/a`, encode({ kind: 'DeleteOptions', apiVersion: 'v1' }), cborHeaders)
    expect(decode(deleted.bytes)).toMatchObject({ kind: 'Status', status: 'Success' })
    const empty = await server.request('GET', collection, undefined, { accept: 'application/cbor' })
    expect(decode(empty.bytes)).toMatchObject({ kind: 'ConfigMapList', items: [] })
  })

  it('distinguishes byte strings from text strings in CBOR', async () => {
    await using server = await openTestServer({ cbor })
    const sentObject = { ...configMap, binaryData: { b: 'AQIDBA==' } }
    const { bytes } = await server.request('POST', collection, encode(sentObject), cborHeaders)
    expect(decode(bytes).binaryData).toEqual({ b: 'AQIDBA==' })
    expect(bytes.includes(Buffer.from('d64401020304', 'hex'))).toBe(true)
    const members: Buffer[] = [Buffer.from('d9d9f7a4', 'hex')]
    for (const text of ['kind', 'ConfigMap', 'apiVersion', 'v1', 'metadata']) members.push(cbor.encodeCbor(text))
    members.push(cbor.encodeCbor({ name: 'raw' }), cbor.encodeCbor('binaryData'), Buffer.from('a14162d64401020304', 'hex'))
    const tagged = Buffer.concat(members)
    const created = await server.request('POST', collection, tagged, { ...cborHeaders, accept: 'application/json' })
    expect(created.body.binaryData).toEqual({ b: 'AQIDBA==' })
  })

  it('server-side apply accepts CBOR', async () => {
    await using server = await openTestServer({ cbor })
    const apply = { 'content-type': 'application/apply-patch+cbor' }
    const applied = await server.request('PATCH', `${collection}/a?fieldManager=one`, encode(configMap), apply)
    expect(applied.status).toBe(201)
    expect(applied.body.metadata.managedFields).toMatchObject([{ manager: 'one', operation: 'Apply' }])
    for (const invalidBody of [encode([]), Buffer.from('a2414101414102', 'hex'), Buffer.from('{}')]) {
      const answer = await server.request('PATCH', `${collection}/a?fieldManager=one`, invalidBody, apply)
      expect(answer.body).toMatchObject({ code: 400, message: expect.stringContaining('error decoding CBOR') })
    }
  })

  it('encodes Tables, PartialObjectMetadata and discovery as CBOR', async () => {
    await using server = await openTestServer({ cbor })
    await server.request('POST', collection, configMap)
    const get = async (path: string, accept: string): Promise<unknown> => {
      const answer = await server.request('GET', path, undefined, { accept })
      expect(answer.headers['content-type']).toBe('application/cbor')
      return decode(answer.bytes)
    }
    const age: unknown = expect.stringMatching(/^\d+s$/)
    const table = 'application/cbor;as=Table;g=meta.k8s.io;v=v1'
    expect(await get(collection, table)).toMatchObject({
      kind: 'Table',
      rows: [{ cells: ['a', 1, age], object: { metadata: { name: 'a' } } }],
    })
    expect(await get(`${collection}/a`, table)).toMatchObject({ kind: 'Table', rows: [{ cells: ['a', 1, age] }] })
    const metadata = 'application/cbor;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1'
    expect(await get(collection, metadata)).toMatchObject({ kind: 'PartialObjectMetadataList', items: [{ metadata: { name: 'a' } }] })
    expect(await get('/api/v1', 'application/cbor')).toMatchObject({ kind: 'APIResourceList', groupVersion: 'v1' })
  })

  it.each([
    'application/cbor',
    'application/cbor;as=PartialObjectMetadata;g=meta.k8s.io;v=v1',
    'application/cbor;as=Table;g=meta.k8s.io;v=v1',
  ])('encodes watch events as CBOR: %s', async (accept) => {
    await using server = await openTestServer({ cbor })
    await server.request('POST', collection, configMap)
    const { type, bytes } = await watchOnce(server, `${collection}?watch=1&timeoutSeconds=1`, accept)
    expect(type).toBe('application/cbor-seq')
    const event = decode(bytes)
    expect(event.type).toBe('ADDED')
    expect(JSON.stringify(event.object)).toContain('"name":"a"')
  })

  it('rejects a CBOR body that is not an object', async () => {
    await using server = await openTestServer({ cbor })
    for (const body of ['', 'ff', '9fff', 'a1416101', 'f7', 'a2446b696e644141446b696e644141'].map((text) => Buffer.from(text, 'hex'))) {
      const answer = await server.request('POST', collection, body, { 'content-type': 'application/cbor' })
      expect(answer.status, body.toString('hex')).toBeOneOf([400, 422])
      expect(answer.body.kind).toBe('Status')
    }
    expect(server.errors).toEqual([])
  })

  it('rejects CBOR if the server has no CBOR codec', async () => {
    await using server = await openTestServer()
    const read = await server.request('GET', collection, undefined, { accept: 'application/cbor' })
    expect(read.status).toBe(406)
    const created = await server.request('POST', collection, encode(configMap), { 'content-type': 'application/cbor' })
    expect(created.status).toBe(415)
    expect(created.body.message).not.toContain('cbor')
    const applied = await server.request('PATCH', `${collection}/a?fieldManager=one`, encode(configMap), {
      'content-type': 'application/apply-patch+cbor',
    })
    expect(applied.status).toBe(415)
  })
})

function watchOnce(server: TestServer, path: string, accept: string): Promise<{ type: string | undefined; bytes: Buffer }> {
  return new Promise((resolve, reject) => {
    http
      .get(server.base + path, { headers: { accept } }, (message) => {
        message.once('data', (bytes: Buffer) => {
          resolve({ type: message.headers['content-type'], bytes })
          message.destroy()
        })
      })
      .on('error', reject)
  })
}
