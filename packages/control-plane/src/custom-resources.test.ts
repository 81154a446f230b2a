import type { CustomResourceDefinition } from '@keelson/api/apiextensions/v1'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { createServerChain } from './create-server-chain.ts'
import type { ServerChain } from './server-chain.ts'

const user = { name: 'ann', groups: ['system:masters'] }
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const widgets = '/apis/example.com/v1/namespaces/default/widgets'

const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    names: { plural: 'widgets', kind: 'Widget', shortNames: ['wd'] },
    scope: 'Namespaced',
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {}, scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' } },
        additionalPrinterColumns: [{ name: 'Size', type: 'integer', jsonPath: '.spec.size' }],
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: { type: 'object', properties: { size: { type: 'integer', default: 3 }, replicas: { type: 'integer' } } },
              status: { type: 'object', properties: { phase: { type: 'string' }, replicas: { type: 'integer' } } },
            },
          },
        },
      },
      {
        name: 'v1beta1',
        served: true,
        storage: false,
        deprecated: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
}

interface Answer {
  readonly code: number
  readonly body: Record<string, unknown> & { readonly message: string; readonly items: unknown[] }
  readonly warning: string | null
}

let chain: ServerChain
beforeAll(async () => {
  chain = await createServerChain({ controllers: ['none'], log: () => {} })
  await chain.start()
  expect((await call('POST', definitions, definition)).code).toBe(201)
  await waitUntil(async () => (await call('GET', widgets)).code === 200)
})
afterAll(() => chain.close())

async function call(method: string, path: string, body?: object, headers: Record<string, string> = {}): Promise<Answer> {
  const bodyOption = body === undefined ? {} : { body: JSON.stringify(body) }
  const answer = await chain.fetch(path, { method, user, headers: { 'content-type': 'application/json', ...headers }, ...bodyOption })
  const text = await answer.text()
  return {
    code: answer.status,
    body: text.startsWith('{') ? JSON.parse(text) : { message: text, items: [] },
    warning: answer.headers.get('warning'),
  }
}

const merge = { 'content-type': 'application/merge-patch+json' }
const asTable = { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' }

function createWidget(name: string, members: object = {}): object {
  return { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name }, ...members }
}

async function waitUntil(isDone: () => Promise<boolean>): Promise<void> {
  await vi.waitUntil(isDone, { interval: 2, timeout: 10_000 })
}

it('defaults and prunes objects, and does not let clients set their status', async () => {
  const created = await call('POST', widgets, createWidget('a', { spec: { color: 'red', replicas: 2 }, status: { phase: 'Ready' } }))
  expect(created).toMatchObject({ code: 201, warning: '299 - "unknown field \\"spec.color\\""' })
  expect(created.body).toMatchObject({ spec: { replicas: 2, size: 3 }, metadata: { generation: 1 } })
  expect(created.body).not.toHaveProperty('status')
  const invalid = await call('POST', widgets, createWidget('b', { spec: { size: 'big' } }))
  expect([invalid.code, invalid.body.message]).toEqual([
    422,
    'Widget.example.com "b" is invalid: spec.size: Invalid value: "string": spec.size in body must be of type integer: "string"',
  ])
})

it('sets the default of the status in the response to a create', async () => {
  const { spec, metadata: _, ...kind } = definition
  const [version] = spec.versions
  const status = { type: 'object', default: { phase: 'New' }, properties: { phase: { type: 'string' } } }
  const openAPIV3Schema = { type: 'object', properties: { ...version!.schema.openAPIV3Schema.properties, status } }
  const started = {
    ...kind,
    metadata: { name: 'starteds.example.com' },
    spec: {
      ...spec,
      names: { plural: 'starteds', kind: 'Started' },
      versions: [
        { ...version, schema: { openAPIV3Schema } },
        // The descriptions of the versions differ, and so the text of their schemas.
        { ...version, name: 'v1beta1', storage: false, schema: { openAPIV3Schema: { ...openAPIV3Schema, description: 'Old.' } } },
      ],
    },
  }
  expect((await call('POST', definitions, started)).code).toBe(201)
  const path = '/apis/example.com/v1/namespaces/default/starteds'
  await waitUntil(async () => (await call('GET', path)).code === 200)
  const object = { apiVersion: 'example.com/v1', kind: 'Started', metadata: { name: 'a' } }
  const created = await call('POST', path, { ...object, status: { phase: 'Ready' } })
  expect(created.body).toMatchObject({ status: { phase: 'New' } })
  const configuration = { ...object, metadata: { name: 'b' } }
  const apply = { 'content-type': 'application/apply-patch+yaml' }
  expect((await call('PATCH', `${path}/b?fieldManager=a`, configuration, apply)).body).toMatchObject({ status: { phase: 'New' } })
  expect((await call('GET', `${path}/b`)).body).toMatchObject({ status: { phase: 'New' } })
  const dry = { ...object, metadata: { name: 'c' } }
  expect((await call('POST', `${path}?dryRun=All`, dry)).body).toMatchObject({ status: { phase: 'New' } })
  const old = path.replace('/v1/', '/v1beta1/')
  const first = await call('POST', old, { ...dry, apiVersion: 'example.com/v1beta1' })
  expect(first.body).toMatchObject({ status: { phase: 'New' } })
  // The second write stores the default, although it changes nothing else.
  const second = await call('PATCH', `${old}/c/status`, {}, merge)
  const third = await call('PATCH', `${path}/c/status`, {}, merge)
  const [one, two, three] = [first, second, third].map(({ body }) => (body['metadata'] as { resourceVersion: string }).resourceVersion)
  expect([two === one, three === two]).toEqual([false, true])
})

it('increases the generation with the spec, and not with the status or metadata', async () => {
  await call('POST', widgets, createWidget('generations'))
  const path = `${widgets}/generations`
  const patchAndReadGeneration = async (subresource: string, patch: object): Promise<unknown> =>
    (await call('PATCH', path + subresource, patch, merge)).body
  expect(await patchAndReadGeneration('', { spec: { size: 5 } })).toMatchObject({ metadata: { generation: 2 } })
  expect(await patchAndReadGeneration('/status', { spec: { size: 6 }, status: { phase: 'Ready' } })).toMatchObject({
    metadata: { generation: 2 },
    spec: { size: 5 },
    status: { phase: 'Ready' },
  })
  expect(await patchAndReadGeneration('', { metadata: { labels: { a: 'b' } } })).toMatchObject({ metadata: { generation: 2 } })
})

it('does not write an object again whose members are sent in another order', async () => {
  const { body } = await call('POST', widgets, createWidget('ordered', { spec: { size: 1, replicas: 2 } }))
  const { metadata } = body as unknown as { readonly metadata: { readonly resourceVersion: string } }
  const reordered = { ...createWidget('ordered', { spec: { replicas: 2, size: 1 } }), metadata }
  expect((await call('PUT', `${widgets}/ordered`, reordered)).body).toMatchObject({
    metadata: { resourceVersion: metadata.resourceVersion },
  })
})

it('scales objects', async () => {
  await call('POST', widgets, createWidget('scaled'))
  const path = `${widgets}/scaled/scale`
  const missing = await call('GET', path)
  expect([missing.code, missing.body.message]).toEqual([
    500,
    'Internal error occurred: the spec replicas field ".spec.replicas" does not exist',
  ])
  expect(await call('PATCH', path, { spec: { replicas: 4 } }, merge)).toMatchObject({
    code: 200,
    body: { kind: 'Scale', spec: { replicas: 4 } },
  })
  expect((await call('GET', `${widgets}/scaled`)).body).toMatchObject({ spec: { replicas: 4 }, metadata: { generation: 2 } })
})

it('serves all versions, lists with typed items, and Tables with the columns of the definition', async () => {
  await call('POST', widgets, createWidget('versions', { spec: {} }))
  const beta = await call('GET', `${widgets.replace('v1', 'v1beta1')}/versions`)
  expect(beta).toMatchObject({
    code: 200,
    body: { apiVersion: 'example.com/v1beta1', spec: { size: 3 } },
    warning: '299 - "example.com/v1beta1 Widget is deprecated; use example.com/v1 Widget"',
  })
  const list = await call('GET', `${widgets}?fieldSelector=metadata.name=versions`)
  expect(list.body).toMatchObject({
    kind: 'WidgetList',
    metadata: { continue: '' },
    items: [{ kind: 'Widget', apiVersion: 'example.com/v1' }],
  })
  const table = await call('GET', `${widgets}?fieldSelector=metadata.name=versions`, undefined, asTable)
  expect(table.body).toMatchObject({ columnDefinitions: [{ name: 'Name' }, { name: 'Size' }], rows: [{ cells: ['versions', 3] }] })
  const selected = await call('GET', `${widgets}?fieldSelector=spec.size=3`)
  expect([selected.code, selected.body.message]).toEqual([400, 'field label not supported: spec.size'])
})

it('refuses objects of other kinds and versions, and requests for other resources of the group', async () => {
  const otherKind = await call('POST', widgets, { ...createWidget('other'), kind: 'Gadget' })
  expect([otherKind.code, otherKind.body.message]).toEqual([
    422,
    'Gadget.example.com "other" is invalid: kind: Invalid value: "Gadget": must be Widget',
  ])
  const beta = await call('POST', widgets, { ...createWidget('other'), apiVersion: 'example.com/v1beta1' })
  expect([beta.code, beta.body.message]).toEqual([
    400,
    'the API version in the data (example.com/v1beta1) does not match the expected API version (example.com/v1)',
  ])
  const gadgets = await call('GET', '/apis/example.com/v1/gadgets')
  expect([gadgets.code, gadgets.body.message]).toEqual([404, '404 page not found\n'])
})

it('negotiates JSON if the client prefers protobuf, which custom resources do not have', async () => {
  await call('POST', widgets, createWidget('negotiated'))
  const jsonAnswer = await call('GET', `${widgets}/negotiated`, undefined, {
    accept: 'application/vnd.kubernetes.protobuf,application/json',
  })
  expect([jsonAnswer.code, jsonAnswer.body['kind']]).toEqual([200, 'Widget'])
  const protobuf = await chain.fetch(`${widgets}/negotiated`, { user, headers: { accept: 'application/vnd.kubernetes.protobuf' } })
  expect([protobuf.status, await protobuf.text()]).toEqual([
    406,
    expect.stringContaining(
      'only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf',
    ),
  ])
  const accept = 'application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1'
  expect((await chain.fetch(`${widgets}/negotiated`, { user, headers: { accept } })).headers.get('content-type')).toBe(
    'application/vnd.kubernetes.protobuf',
  )
})

it('answers unsupported methods and bodies like kube-apiserver', async () => {
  await call('POST', widgets, createWidget('methods'))
  const readMessage = async (...request: Parameters<typeof call>): Promise<unknown> => {
    const { code, body } = await call(...request)
    return [code, body.message]
  }
  expect(await readMessage('DELETE', `${widgets}/methods/status`)).toEqual([
    405,
    'delete is not supported on resources of kind "widgets.example.com"',
  ])
  expect(await readMessage('PUT', widgets, createWidget('methods'))).toEqual([400, 'name must be provided'])
  expect(await readMessage('POST', '/apis/example.com/v1/widgets', createWidget('x'))).toEqual([404, '404 page not found\n'])
  expect(await readMessage('POST', widgets, { apiVersion: 'example.com/v1', metadata: { name: 'x' } })).toEqual([
    400,
    expect.stringContaining(`Object 'Kind' is missing in '{"apiVersion":"example.com/v1","metadata":{"name":"x"}}'`),
  ])
  expect(await readMessage('POST', widgets, { kind: 'Widget', metadata: { name: 'x' } })).toEqual([
    400,
    'the API version in the data () does not match the expected API version (example.com/v1)',
  ])
  expect(await readMessage('PATCH', `${widgets}/methods`, { kind: 'Gadget' }, merge)).toEqual([
    422,
    'Gadget.example.com "methods" is invalid: kind: Invalid value: "Gadget": must be Widget',
  ])
  expect(await readMessage('POST', widgets, { ...createWidget('x'), metadata: { name: 5 } })).toEqual([
    400,
    'Widget in version "v1" cannot be handled as a Widget: json: cannot unmarshal number into Go struct field ObjectMeta.name of type string',
  ])
})

it('reports duplicate fields in the order of the body', async () => {
  const body = '{"kind":"Widget","apiVersion":"example.com/v1","metadata":{"name":"d","name":"d"},"spec":{"size":1,"size":2}}'
  const answer = await chain.fetch(`${widgets}?fieldValidation=Strict`, {
    method: 'POST',
    user,
    headers: { 'content-type': 'application/json' },
    body,
  })
  expect(await answer.text()).toContain('strict decoding error: duplicate field \\"metadata.name\\", duplicate field \\"spec.size\\"')
})

it('applies objects on the server', async () => {
  const apply = { 'content-type': 'application/apply-patch+yaml' }
  const path = `${widgets}/applied?fieldManager=me`
  expect(await call('PATCH', path, createWidget('applied', { spec: { size: 9 } }), apply)).toMatchObject({
    code: 201,
    body: { spec: { size: 9 } },
  })
  const removed = await call('PATCH', path, createWidget('applied', { spec: { replicas: 1 } }), apply)
  expect(removed.body).toMatchObject({ spec: { size: 3 }, metadata: { generation: 2 } })
  const strategic = await call('PATCH', path, {}, { 'content-type': 'application/strategic-merge-patch+json' })
  expect(strategic.code).toBe(415)
})

it('ends watches when the spec of the definition changes, keeps them when only its labels change, and keeps the objects', async () => {
  await call('POST', widgets, createWidget('kept'))
  let ended = false
  const watch = await chain.fetch(`${widgets}?watch=1`, { user })
  const text = watch.text().then(() => (ended = true))
  await call('PATCH', `${definitions}/widgets.example.com`, { metadata: { labels: { a: 'b' } } }, merge)
  await call('POST', widgets, createWidget('after-label'))
  expect(ended).toBe(false)
  const { spec } = (await call('GET', `${definitions}/widgets.example.com`)).body as unknown as CustomResourceDefinition
  const [v1, ...otherVersions] = spec.versions!
  const columns = [{ name: 'Replicas', type: 'integer', jsonPath: '.spec.replicas' }]
  const changed = { spec: { versions: [{ ...v1, additionalPrinterColumns: columns }, ...otherVersions] } }
  expect((await call('PATCH', `${definitions}/widgets.example.com`, changed, merge)).code).toBe(200)
  await text
  const table = await call('GET', `${widgets}/kept`, undefined, asTable)
  expect(table.body).toMatchObject({ columnDefinitions: [{ name: 'Name' }, { name: 'Replicas' }], rows: [{ cells: ['kept', null] }] })
})

it('refuses creation while the definition is being deleted, and then deletes the objects', async () => {
  const finalizedWidget = { ...createWidget('held'), metadata: { name: 'held', finalizers: ['example.com/hold'] } }
  expect((await call('POST', widgets, finalizedWidget)).code).toBe(201)
  expect((await call('DELETE', `${definitions}/widgets.example.com`)).code).toBe(200)
  await waitUntil(async () => (await call('POST', widgets, createWidget('late'))).code === 403)
  const refusal = await call('POST', widgets, createWidget('late'))
  expect(refusal.body.message).toBe(
    'widgets.example.com "late" is forbidden: create not allowed while custom resource definition is terminating',
  )
  await call('PATCH', `${widgets}/held`, { metadata: { finalizers: null } }, merge)
  await waitUntil(async () => (await call('GET', `${definitions}/widgets.example.com`)).code === 404)
  await waitUntil(async () => (await call('GET', widgets)).code === 404)
})

it('serves objects that were stored under an older schema and storage version with the new defaults', async () => {
  const [v1, beta] = definition.spec.versions
  const names = { plural: 'gizmos', kind: 'Gizmo' }
  const first = { ...definition, metadata: { name: 'gizmos.example.com' }, spec: { ...definition.spec, names, versions: [v1, beta] } }
  expect((await call('POST', definitions, first)).code).toBe(201)
  const gizmos = widgets.replace('widgets', 'gizmos')
  await waitUntil(async () => (await call('GET', gizmos)).code === 200)
  await call('POST', gizmos, { ...createWidget('old', { spec: { replicas: 1 } }), kind: 'Gizmo' })
  const schema = {
    openAPIV3Schema: {
      type: 'object',
      properties: { spec: { type: 'object', properties: { color: { type: 'string', default: 'red' }, size: { type: 'integer' } } } },
    },
  }
  const versions = [
    { ...v1, storage: false, schema },
    { ...beta, storage: true, schema },
  ]
  const changed = await call('PATCH', `${definitions}/gizmos.example.com`, { spec: { versions } }, merge)
  expect(changed).toMatchObject({ code: 200, body: { status: { storedVersions: ['v1', 'v1beta1'] } } })
  await waitUntil(async () => 'color' in ((await call('GET', `${gizmos}/old`)).body['spec'] as object))
  expect((await call('GET', `${gizmos}/old`)).body).toMatchObject({ apiVersion: 'example.com/v1', spec: { size: 3, color: 'red' } })
  expect((await call('GET', gizmos)).body.items).toEqual([expect.objectContaining({ spec: { size: 3, color: 'red' } })])
  const written = await call('PATCH', `${gizmos.replace('v1', 'v1beta1')}/old`, { spec: { size: 4 } }, merge)
  expect(written.body).toMatchObject({ apiVersion: 'example.com/v1beta1', spec: { size: 4, color: 'red' } })
  expect((await call('DELETE', `${definitions}/gizmos.example.com`)).code).toBe(200)
})
