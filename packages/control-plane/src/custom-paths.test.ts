import { createManualClock } from '@keelson/apimachinery/testing'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { createServerChain } from './create-server-chain.ts'
import type { ServerChain } from './server-chain.ts'

const user = { name: 'ann', groups: ['system:masters'] }
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const widgets = '/apis/example.com/v1/namespaces/default/widgets'
const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } }

const plainVersion = { name: 'v1', served: true, storage: true, schema }

interface Answer {
  readonly code: number
  readonly body: { readonly message?: string; readonly [member: string]: unknown }
  readonly warning: string | null
}

let chain: ServerChain
beforeAll(async () => {
  chain = await createServerChain({ controllers: ['none'], log: () => {} })
  await chain.start()
  const versions = [
    { ...plainVersion, subresources: { status: {} } },
    { name: 'v1beta1', served: true, storage: false, schema, deprecated: true },
  ]
  await define('example.com', 'widgets', { versions })
  await call('POST', widgets, createWidget('a'))
})
afterAll(() => chain.close())

async function call(method: string, path: string, body?: object, contentType = 'application/json'): Promise<Answer> {
  const requestBody = body === undefined ? {} : { body: JSON.stringify(body) }
  const answer = await chain.fetch(path, { method, user, headers: { 'content-type': contentType }, ...requestBody })
  const text = await answer.text()
  return {
    code: answer.status,
    body: text.startsWith('{') && !text.includes('\n{') ? (JSON.parse(text) as Answer['body']) : { message: text },
    warning: answer.headers.get('warning'),
  }
}

/** Creates a definition and waits until it is established. */
async function define(group: string, plural: string, spec: object): Promise<string> {
  expect((await call('POST', definitions, createDefinition(group, plural, spec))).code).toBe(201)
  await vi.waitUntil(async () => (await call('GET', `/apis/${group}/v1`)).code === 200, { interval: 2 })
  return `${definitions}/${plural}.${group}`
}

function createDefinition(group: string, plural: string, spec: object): object {
  const kind = plural.slice(0, 1).toUpperCase() + plural.slice(1, -1)
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: { group, names: { plural, kind }, scope: 'Namespaced', ...spec },
  }
}

function createWidget(name: string, members: object = {}): object {
  return { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name }, ...members }
}

describe('paths of custom resources', () => {
  it('creates the object of the body after a POST to the path of any object', async () => {
    expect(await call('POST', `${widgets}/ignored`, createWidget('b'))).toMatchObject({ code: 201, body: { metadata: { name: 'b' } } })
    expect(await call('POST', `${widgets}/new`, createWidget('b'))).toMatchObject({
      code: 409,
      body: { message: 'widgets.example.com "b" already exists' },
    })
    expect(await call('POST', `${widgets}/c`, { ...createWidget(''), metadata: {} })).toMatchObject({
      code: 422,
      body: { message: 'Widget.example.com "" is invalid: metadata.name: Required value: name or generateName is required' },
    })
  })

  it('serves paths below a subresource like the subresource', async () => {
    const path = `${widgets}/a/status/below/it`
    expect(await call('GET', path)).toMatchObject({ code: 200, body: { metadata: { name: 'a' } } })
    const patched = await call('PATCH', path, { spec: { a: 1 }, status: { b: 2 } }, 'application/merge-patch+json')
    expect(patched).toMatchObject({ code: 200, body: { status: { b: 2 } } })
    expect(patched.body).not.toHaveProperty('spec')
    expect(await call('DELETE', path)).toMatchObject({
      code: 405,
      body: { message: 'delete is not supported on resources of kind "widgets.example.com"' },
    })
    const none = { code: 404, body: { message: 'widgets.example.com "a" not found' } }
    expect(await call('GET', `${widgets}/a/other/below`)).toMatchObject(none)
    expect(await call('POST', `${widgets}/a/scale/below`, {})).toMatchObject(none)
  })

  it('serves HEAD like GET without a body, and paths with watch/ for every method', async () => {
    for (const path of [`${widgets}/a`, `${widgets}/a/status`, widgets, '/apis/example.com/v1/widgets']) {
      expect([path, await call('HEAD', path)]).toEqual([path, { code: 200, body: { message: '' }, warning: null }])
    }
    const watched = await call('POST', '/apis/example.com/v1/watch/namespaces/default/widgets/a?timeoutSeconds=1', createWidget('a'))
    expect(watched).toMatchObject({ code: 200, body: { type: 'ADDED', object: { metadata: { name: 'a' } } } })
  })

  it('warns of a deprecated version also when the request is refused', async () => {
    const warning = '299 - "example.com/v1beta1 Widget is deprecated; use example.com/v1 Widget"'
    const path = `${widgets.replace('v1', 'v1beta1')}/a`
    expect(await call('GET', `${path}/status`)).toMatchObject({ code: 404, warning })
    expect(await call('PUT', `${path}/scale/x`, createWidget('a'))).toMatchObject({ code: 404, warning })
    expect(await call('OPTIONS', path)).toMatchObject({ code: 405, warning })
    expect(await call('GET', `${widgets}/a/scale`)).toMatchObject({ code: 404, warning: null })
  })
})

describe('patches with another kind or version', () => {
  const typed = { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties: { a: { type: 'string' } } } } } }
  const mergePatch = 'application/merge-patch+json'
  let gears = ''
  beforeAll(async () => {
    const versions = [
      { ...plainVersion, schema: typed, subresources: { status: {} } },
      { ...plainVersion, name: 'v2', storage: false, schema: typed },
    ]
    await define('patched.example.com', 'gears', { versions })
    gears = '/apis/patched.example.com/v1/namespaces/default/gears'
    await call('POST', gears, { apiVersion: 'patched.example.com/v1', kind: 'Gear', metadata: { name: 'a' }, spec: { a: 'b' } })
  })

  const answer = async (patch: object, path = `${gears}/a`): Promise<unknown[]> => {
    const { code, body, warning } = await call('PATCH', path, patch, Array.isArray(patch) ? 'application/json-patch+json' : mergePatch)
    return [code, body.message, warning]
  }

  it.each([{ apiVersion: null }, { apiVersion: '' }, { apiVersion: '/' }, [{ op: 'remove', path: '/apiVersion' }]])(
    'answers a patch to no version with 500: %j',
    async (patch) => {
      const problem = "Internal error occurred: Object 'apiVersion' is missing in 'object has no apiVersion field'"
      expect(await answer(patch)).toEqual([500, problem, null])
      expect(await answer(patch, `${gears}/a/status`)).toEqual([500, problem, null])
    },
  )

  it.each([
    [{ apiVersion: 'a/b/c', kind: null }, 'unexpected GroupVersion string: a/b/c'],
    [[{ op: 'replace', path: '/apiVersion', value: null }], '.apiVersion accessor error: <nil> is of the type <nil>, expected string'],
  ])('answers a patch to an invalid version with 422: %j', async (patch, problem) => {
    expect(await answer(patch)).toEqual([422, expect.stringContaining(problem), null])
  })

  it('warns of unknown fields of the other version before it refuses the version', async () => {
    const formatRefusal = (version: string): string =>
      `Gear.patched.example.com "a" is invalid: apiVersion: Invalid value: "patched.example.com/${version}": must be patched.example.com/v1`
    const spec = { unknown: 1 }
    expect(await answer({ apiVersion: 'patched.example.com/v2', spec })).toEqual([
      422,
      formatRefusal('v2'),
      '299 - "unknown field \\"spec.unknown\\""',
    ])
    expect(await answer({ apiVersion: 'patched.example.com/v9', spec })).toEqual([
      422,
      formatRefusal('v9'),
      '299 - "unknown field \\"spec\\""',
    ])
    expect(await answer({ apiVersion: 'patched.example.com/v2', spec }, `${gears}/a?fieldValidation=Strict`)).toEqual([
      422,
      expect.stringContaining('strict decoding error: unknown field "spec.unknown"'),
      null,
    ])
  })

  it('reports another name before another kind, and ignores the kind in a subresource', async () => {
    expect(await answer({ kind: 'Other', metadata: { name: 'b' } })).toEqual([
      400,
      'the name of the object (b) does not match the name on the URL (a)',
      null,
    ])
    expect(await answer({ kind: 'Other', spec: { unknown: 1 } })).toEqual([
      422,
      'Other.patched.example.com "a" is invalid: kind: Invalid value: "Other": must be Gear',
      null,
    ])
    expect(await answer({ kind: 'Other', status: { unknown: 1 } }, `${gears}/a/status`)).toEqual([200, undefined, null])
    expect((await call('GET', `${gears}/a`)).body['status']).toBeUndefined()
  })
})

describe('discovery of custom resources', () => {
  const listResources = async (version: string): Promise<unknown> => (await call('GET', `/apis/${version}`)).body['resources']
  const allVerbs = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch']

  it('serves a version for every method, and those of built-in groups only for GET', async () => {
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'OPTIONS']) {
      expect([method, await call(method, '/apis/example.com/v1')]).toMatchObject([method, { code: 200, body: { kind: 'APIResourceList' } }])
    }
    expect((await call('POST', '/apis/apps/v1')).code).toBe(405)
  })

  it('lists a definition when it is established, which takes five seconds if there are several servers', async () => {
    const clock = createManualClock(Date.UTC(2031, 4, 6))
    await using several = await createServerChain({ clock, controllers: ['none'], services: { serverCount: 2 }, log: () => {} })
    await several.start()
    const requestStatus = async (path: string, body?: object): Promise<number> => {
      const requestOptions =
        body === undefined ? {} : { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
      return (await several.fetch(path, { user, ...requestOptions })).status
    }
    expect(await requestStatus(definitions, createDefinition('late.example.com', 'lates', { versions: [plainVersion] }))).toBe(201)
    const objects = '/apis/late.example.com/v1/lates'
    await vi.waitUntil(async () => (await requestStatus(objects)) === 200, { interval: 2 })
    const documents = ['/apis/late.example.com', '/apis/late.example.com/v1', '/openapi/v3/apis/late.example.com/v1']
    const requestStatuses = (): Promise<number[]> => Promise.all(documents.map((path) => requestStatus(path)))
    expect(await requestStatuses()).toEqual([404, 404, 404])
    clock.advance(4999)
    expect(await requestStatuses()).toEqual([404, 404, 404])
    // Timers of the queue may start after the first read of the clock.
    await vi.waitUntil(
      async () => {
        clock.advance(1)
        return (await requestStatuses()).join() === '200,200,200'
      },
      { interval: 2 },
    )
  })

  it('leaves out the verbs of writes while the objects of a deleted definition are deleted', async () => {
    const versions = [{ ...plainVersion, subresources: { status: {} } }]
    const path = await define('gone.example.com', 'goners', { versions })
    const object = { apiVersion: 'gone.example.com/v1', kind: 'Goner', metadata: { name: 'a', finalizers: ['example.com/hold'] } }
    const goners = '/apis/gone.example.com/v1/namespaces/default/goners'
    expect((await call('POST', goners, object)).code).toBe(201)
    expect(await listResources('gone.example.com/v1')).toMatchObject([{ verbs: allVerbs, storageVersionHash: expect.any(String) }, {}])
    await call('DELETE', path)
    const reads = ['delete', 'deletecollection', 'get', 'list', 'watch']
    await vi.waitUntil(async () => !JSON.stringify(await listResources('gone.example.com/v1')).includes('create'), { interval: 2 })
    expect(await listResources('gone.example.com/v1')).toMatchObject([
      { name: 'goners', verbs: reads, storageVersionHash: expect.any(String) },
      { name: 'goners/status', verbs: ['get', 'patch', 'update'] },
    ])
    await call('PATCH', `${goners}/a`, { metadata: { finalizers: null } }, 'application/merge-patch+json')
    await vi.waitUntil(async () => (await call('GET', '/apis/gone.example.com/v1')).code === 404, { interval: 2 })
  })

  it('has no hash of a storage version that is not served', async () => {
    const versions = [
      { name: 'v1', served: true, storage: false, schema },
      { name: 'v2', served: false, storage: true, schema },
    ]
    await define('hash.example.com', 'hashes', { versions })
    const [resource] = (await listResources('hash.example.com/v1')) as object[]
    expect(resource).not.toHaveProperty('storageVersionHash')
  })
})
