import { newForbidden } from '@keelson/apimachinery'
import type { RequestContext } from '@keelson/apimachinery'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestServer } from '../test-server.fixture.ts'
import type { Answer, TestServer } from '../test-server.fixture.ts'

let server: TestServer
beforeAll(async () => {
  server = await openTestServer()
})
afterAll(() => server[Symbol.asyncDispose]())

const collection = '/api/v1/namespaces/default/configmaps'
const applyType = 'application/apply-patch+yaml'

function apply(name: string, query: string, body: unknown, path = `${collection}/${name}`): Promise<Answer> {
  const config = typeof body === 'string' ? body : { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, ...(body as object) }
  return server.request('PATCH', `${path}?${query}`, config, { 'content-type': applyType })
}

const listManagers = ({ body }: Answer): string[] =>
  (body.metadata.managedFields ?? []).map((entry: { manager: string; operation: string }) => `${entry.manager} ${entry.operation}`)

describe('server-side apply over HTTP', () => {
  it('creates absent objects and changes existing ones', async () => {
    const created = await apply('a', 'fieldManager=one', { data: { a: '1' } })
    expect(created.status).toBe(201)
    expect(created.body).toMatchObject({ kind: 'ConfigMap', metadata: { name: 'a', namespace: 'default' }, data: { a: '1' } })
    const changed = await apply('a', 'fieldManager=one', 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  b: "1"\n')
    expect(changed.status).toBe(200)
    expect(changed.body.data).toEqual({ b: '1' })
    const repeated = await apply('a', 'fieldManager=one', { data: { b: '1' } })
    expect(repeated.body.metadata.resourceVersion).toBe(changed.body.metadata.resourceVersion)
  })

  it('refuses conflicts with their causes, and overrides them with force', async () => {
    await apply('b', 'fieldManager=one', { data: { a: '1' } })
    const conflict = await apply('b', 'fieldManager=two', { data: { a: '2' } })
    expect(conflict.body).toMatchObject({
      code: 409,
      reason: 'Conflict',
      message: 'Apply failed with 1 conflict: conflict with "one": .data.a',
      details: { causes: [{ reason: 'FieldManagerConflict', message: 'conflict with "one"', field: '.data.a' }] },
    })
    const forced = await apply('b', 'fieldManager=two&force=true', { data: { a: '2' } })
    expect(forced.status).toBe(200)
    expect(listManagers(forced)).toEqual(['two Apply'])
  })

  it('creates only for users with the permission to create', async () => {
    const authorized: string[] = []
    const authorizeCreate = ({ attributes }: RequestContext): void => {
      authorized.push(attributes.resource)
      throw newForbidden({ group: '', resource: 'configmaps' }, 'x', 'no')
    }
    await using guarded = await openTestServer({ authorizeCreate })
    const config = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' } }
    const path = `${collection}/x?fieldManager=one`
    expect((await guarded.request('PATCH', path, config, { 'content-type': applyType })).status).toBe(403)
    expect((await guarded.request('POST', collection, config)).status).toBe(201)
    expect((await guarded.request('PATCH', path, config, { 'content-type': applyType })).status).toBe(200)
    expect(authorized).toEqual(['configmaps'])
  })

  it('a dry run stores nothing', async () => {
    expect((await apply('dry', 'fieldManager=one&dryRun=All', { data: { a: '1' } })).status).toBe(201)
    expect((await server.request('GET', `${collection}/dry`)).status).toBe(404)
  })

  it('rejects a body that is not a configuration', async () => {
    expect((await apply('c', '', {})).status).toBe(422)
    expect((await apply('c', 'fieldManager=one', '{bad')).body.message).toMatch(
      /^error decoding YAML: error converting YAML to JSON: yaml: /,
    )
    expect((await apply('c', 'fieldManager=one', '[]')).body).toMatchObject({ code: 400 })
    expect((await apply('c', 'fieldManager=one', { kind: 'Secret' })).body.message).toBe('invalid object type: /v1, Kind=Secret')
    expect((await apply('c', 'fieldManager=one', { metadata: { name: 'other' } })).status).toBe(400)
    expect((await apply('c', 'fieldManager=one', { bogus: 1 })).body).toMatchObject({
      code: 500,
      message: expect.stringContaining('.bogus: field not declared in schema'),
    })
    const uid = { metadata: { name: 'c', uid: 'x' } }
    expect((await apply('c', 'fieldManager=one', uid)).body).toMatchObject({ code: 409, message: expect.stringContaining('uid mismatch') })
    const cbor = await server.request('PATCH', `${collection}/c?fieldManager=one`, '{}', { 'content-type': 'application/apply-patch+cbor' })
    expect(cbor.status).toBe(415)
    expect((await server.request('GET', `${collection}/c`)).status).toBe(404)
  })

  it('reports duplicate keys according to fieldValidation', async () => {
    const twice = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: d}\ndata: {a: "1", a: "2"}\n'
    const strict = await apply('d', 'fieldManager=one&fieldValidation=Strict', twice)
    expect(strict.body).toMatchObject({ code: 400, message: expect.stringContaining('key "a" already set in map') })
    const warningAnswer = await apply('d', 'fieldManager=one', twice)
    expect(warningAnswer.status).toBe(201)
    expect(warningAnswer.headers['warning']).toContain('key \\"a\\" already set in map')
  })

  it('a subresource has its own entry in managed fields', async () => {
    await server.request('POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'n' } })
    const body = { kind: 'Namespace', status: { phase: 'Active' } }
    const { body: namespace } = await apply('n', 'fieldManager=one', body, '/api/v1/namespaces/n/status')
    expect(namespace.metadata.managedFields).toMatchObject([
      { manager: 'one', operation: 'Apply', subresource: 'status', fieldsV1: { 'f:status': { 'f:phase': {} } } },
    ])
  })

  it('applies again to the newer object after a concurrent write', async () => {
    await apply('race', 'fieldManager=none', { data: { z: '1' } })
    const answers = await Promise.all(['a', 'b', 'c', 'd'].map((key) => apply('race', `fieldManager=${key}`, { data: { [key]: '1' } })))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    const { body } = await server.request('GET', `${collection}/race`)
    expect(body.data).toEqual({ a: '1', b: '1', c: '1', d: '1', z: '1' })
    expect(body.metadata.managedFields).toHaveLength(5)
  })
})

describe('managed fields', () => {
  it('records a manager for each kind of write', async () => {
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'm' }, data: { a: '1' } }
    const created = await server.request('POST', collection, object)
    expect(created.body.metadata.managedFields).toMatchObject([
      { manager: 'test', operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: { 'f:data': { '.': {}, 'f:a': {} } } },
    ])
    const replaced = await server.request('PUT', `${collection}/m`, { ...object, data: { b: '1' } })
    expect(replaced.body.metadata.managedFields).toMatchObject([{ fieldsV1: { 'f:data': { 'f:b': {} } } }])
    const patched = await server.request(
      'PATCH',
      `${collection}/m`,
      { data: { c: '1' } },
      { 'content-type': 'application/merge-patch+json' },
    )
    expect(patched.body.metadata.managedFields[0].fieldsV1['f:data']).toHaveProperty('f:c')
  })

  it('clears managed fields if a write sets an empty list', async () => {
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'r' }, data: { a: '1' } }
    await server.request('POST', collection, object)
    const { body } = await server.request('PUT', `${collection}/r`, { ...object, metadata: { name: 'r', managedFields: [] } })
    expect(body.metadata.managedFields).toBeUndefined()
    await apply('s', 'fieldManager=one', { data: { a: '1' } })
    const reset = { metadata: { managedFields: [{}] } }
    const patched = await server.request('PATCH', `${collection}/s`, reset, { 'content-type': 'application/merge-patch+json' })
    expect(patched.body.metadata.managedFields).toBeUndefined()
  })
})
