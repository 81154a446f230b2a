import type { CustomResourceDefinition, JSONSchemaProps } from '@keelson/api/apiextensions/v1'
import { describe, expect, it } from 'vitest'
import { createKindDocument } from './kind-document.ts'
import { publishSchema } from './publish-schema.ts'
import { serveDefinitions } from './serve-definitions.fixture.ts'

const widgets: CustomResourceDefinition = {
  metadata: { name: 'widgets.example.com', uid: 'u', generation: 3 },
  spec: {
    group: 'example.com',
    names: { kind: 'Widget', plural: 'widgets', listKind: 'WidgetList', singular: 'widget' },
    scope: 'Namespaced',
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {}, scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' } },
        selectableFields: [{ jsonPath: '.spec.size' }],
        schema: {
          openAPIV3Schema: {
            type: 'object',
            description: 'A widget.',
            properties: { spec: { type: 'object', properties: { size: { type: 'integer', default: 1 } } } },
          },
        },
      },
    ],
  },
}

// oxlint-disable-next-line typescript/no-explicit-any
type Json = any

async function read(app: ReturnType<typeof serveDefinitions>, path: string): Promise<Json> {
  const response = await app.request(path)
  expect(response.status).toBe(200)
  return response.json()
}

function publishAll(schema: JSONSchemaProps, version: 2 | 3): Json {
  const steps = publishSchema(schema, version)
  for (let step = steps.next(); ; step = steps.next()) if (step.done === true) return JSON.parse(JSON.stringify(step.value))
}

describe('published schemas', () => {
  it('version 3 keeps validations and defaults, and adds the alternatives of an integer or string', () => {
    const schema: JSONSchemaProps = {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      properties: {
        port: { 'x-kubernetes-int-or-string': true },
        own: { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] },
        other: { 'x-kubernetes-int-or-string': true, anyOf: [{ pattern: 'a' }] },
        name: { type: 'string', nullable: true, default: '', maxLength: 0, uniqueItems: false },
      },
      required: ['name'],
      oneOf: [{ required: ['port'] }],
      not: { properties: { name: { enum: ['x', null] } } },
    }
    expect(publishAll(schema, 3)).toEqual({
      ...schema,
      properties: {
        ...schema.properties,
        port: { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] },
        other: {
          'x-kubernetes-int-or-string': true,
          allOf: [{ anyOf: [{ type: 'integer' }, { type: 'string' }] }],
          anyOf: [{ pattern: 'a' }],
        },
        name: { type: 'string', nullable: true, default: '', maxLength: 0 },
      },
    })
  })

  it('version 2 has no junctors, no defaults, and no types of values that kubectl would reject', () => {
    const schema: JSONSchemaProps = {
      type: 'object',
      required: ['a', 'b'],
      properties: {
        a: { type: 'string', nullable: true },
        b: { type: 'string', default: 'x', anyOf: [{ pattern: 'a' }] },
        free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties: { a: { type: 'string' } } },
        list: { type: 'array', 'x-kubernetes-preserve-unknown-fields': true, items: { type: 'string' } },
        map: { type: 'object', additionalProperties: { type: 'string', nullable: true } },
        port: { 'x-kubernetes-int-or-string': true },
      },
    }
    expect(publishAll(schema, 2)).toEqual({
      type: 'object',
      required: ['b'],
      properties: {
        a: {},
        b: { type: 'string' },
        free: { 'x-kubernetes-preserve-unknown-fields': true },
        list: { 'x-kubernetes-preserve-unknown-fields': true },
        map: { type: 'object', additionalProperties: {} },
        port: { 'x-kubernetes-int-or-string': true },
      },
    })
  })

  it('an embedded resource gets the properties of a resource, except in version 2 if it has unknown fields', () => {
    const embedded: JSONSchemaProps = { type: 'object', 'x-kubernetes-embedded-resource': true, required: ['kind'] }
    const reference = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta'
    expect(publishAll(embedded, 3)).toMatchObject({
      required: ['kind', 'apiVersion'],
      properties: { kind: { type: 'string' }, metadata: { allOf: [{ $ref: `#/components/schemas/${reference}` }] } },
    })
    expect(publishAll(embedded, 2).properties.metadata).toMatchObject({ $ref: `#/definitions/${reference}` })
    expect(publishAll({ ...embedded, 'x-kubernetes-preserve-unknown-fields': true }, 2)).not.toHaveProperty('properties')
  })

  it('properties may have the names of members of Object.prototype', () => {
    const properties = JSON.parse('{"__proto__":{"type":"string"},"constructor":{"type":"integer"}}') as Record<string, JSONSchemaProps>
    expect(JSON.stringify(publishAll({ type: 'object', properties }, 3).properties)).toBe(JSON.stringify(properties))
  })
})

describe('documents of custom resources', () => {
  it('the documents have the paths, operations and definitions of kube-apiserver', async () => {
    const app = serveDefinitions([widgets])
    const { info, paths, components } = await read(app, '/openapi/v3/apis/example.com/v1')
    expect(info).toEqual({ title: 'Kubernetes CRD Swagger', version: 'v0.1.0' })
    const base = '/apis/example.com/v1/namespaces/{namespace}/widgets'
    expect(Object.keys(paths)).toEqual([
      base,
      `${base}/{name}`,
      `${base}/{name}/scale`,
      `${base}/{name}/status`,
      '/apis/example.com/v1/widgets',
    ])
    const { get, put, patch, delete: remove, parameters } = paths[`${base}/{name}`]
    expect([get, put, patch, remove].map(({ operationId, description }) => [operationId, description])).toEqual([
      ['readExampleComV1NamespacedWidget', 'read the specified Widget'],
      ['replaceExampleComV1NamespacedWidget', 'replace the specified Widget'],
      ['patchExampleComV1NamespacedWidget', 'partially update the specified Widget'],
      ['deleteExampleComV1NamespacedWidget', 'delete a Widget'],
    ])
    expect(Object.keys(patch.requestBody.content)).not.toContain('application/strategic-merge-patch+json')
    expect(patch.parameters.map(({ name }: { name: string }) => name)).toEqual(['dryRun', 'fieldManager', 'fieldValidation', 'force'])
    expect(parameters[0]).toMatchObject({ name: 'name', description: 'name of the Widget' })
    const scale = paths[`${base}/{name}/scale`].get
    expect(scale['x-kubernetes-group-version-kind']).toEqual({ group: 'example.com', version: 'v1', kind: 'Widget' })
    expect(scale.responses[200].content['application/json'].schema.$ref).toBe('#/components/schemas/io.k8s.api.autoscaling.v1.Scale')

    const { 'com.example.v1.Widget': kind, 'com.example.v1.WidgetList': list } = components.schemas
    expect(Object.keys(kind.properties)).toEqual(['apiVersion', 'kind', 'metadata', 'spec'])
    expect(kind['x-kubernetes-group-version-kind']).toEqual([{ group: 'example.com', kind: 'Widget', version: 'v1' }])
    expect(kind['x-kubernetes-selectable-fields']).toEqual([{ fieldPath: 'spec.size' }])
    expect(list.properties.items).toMatchObject({ type: 'array', items: { $ref: '#/components/schemas/com.example.v1.Widget' } })
    for (const [, name] of JSON.stringify({ paths, components }).matchAll(/#\/components\/schemas\/([^"]+)"/g)) {
      expect(components.schemas).toHaveProperty([name!])
    }
  })

  it('operation names contain the kind in lower case, like those of kube-apiserver', async () => {
    const { spec } = widgets
    const app = serveDefinitions([{ ...widgets, spec: { ...spec, names: { ...spec.names, kind: 'my-widget' } } }])
    const { paths } = await read(app, '/openapi/v3/apis/example.com/v1')
    const base = '/apis/example.com/v1/namespaces/{namespace}/widgets'
    expect(paths[base].get.operationId).toBe('listExampleComV1NamespacedmyWidget')
    expect(paths[base].delete.operationId).toBe('deleteExampleComV1CollectionNamespacedmyWidget')
    expect(paths['/apis/example.com/v1/widgets'].get.operationId).toBe('listExampleComV1MyWidgetForAllNamespaces')
  })

  it('the version 2 document contains custom resources, as JSON and as protobuf', async () => {
    const app = serveDefinitions([widgets])
    const { paths, definitions } = await read(app, '/openapi/v2')
    expect(paths['/apis/example.com/v1/widgets'].get).toMatchObject({
      consumes: ['application/json', 'application/yaml'],
      operationId: 'listExampleComV1WidgetForAllNamespaces',
    })
    expect(paths).not.toHaveProperty(['/apis/example.com/'])
    expect(definitions['com.example.v1.Widget'].properties.spec).toEqual({ type: 'object', properties: { size: { type: 'integer' } } })
    const accept = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf'
    const message = Buffer.from(await (await app.request('/openapi/v2', { headers: { accept } })).arrayBuffer())
    for (const text of ['com.example.v1.Widget', 'A widget.', 'list objects of kind Widget']) expect(message.includes(text)).toBe(true)
  })

  it('the hash of a document depends on the generation of its definitions', async () => {
    const index = async (definition: CustomResourceDefinition): Promise<Json> =>
      (await read(serveDefinitions([definition]), '/openapi/v3')).paths
    const before = await index(widgets)
    expect(Object.keys(before)).toEqual(['apis', 'apis/example.com/v1'])
    expect(before['apis/example.com/v1'].serverRelativeURL).toMatch(/^\/openapi\/v3\/apis\/example\.com\/v1\?hash=[0-9A-F]{128}$/)
    expect(await index(widgets)).toEqual(before)
    const changed = await index({ ...widgets, metadata: { ...widgets.metadata, generation: 4 } })
    expect(changed['apis/example.com/v1']).not.toEqual(before['apis/example.com/v1'])
  })

  it('each document reads the schema again, and no generated part stays in memory', () => {
    let reads = 0
    const load = (): JSONSchemaProps => {
      reads++
      return { type: 'object' }
    }
    const { definitions } = createKindDocument({ definition: widgets, version: 'v1', load })
    expect(reads).toBe(0)
    for (const version of [2, 3] as const) for (const generate of definitions.values()) while (generate(version).next().done !== true);
    expect(reads).toBe(2)
  })

  it('large schemas are generated in short steps', () => {
    const createNestedProperty = (depth: number): JSONSchemaProps =>
      depth === 0
        ? { type: 'string', description: 'x'.repeat(50) }
        : {
            type: 'object',
            properties: Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`p${i}`, createNestedProperty(depth - 1)])),
          }
    const steps = publishSchema(createNestedProperty(4), 3)
    let count = 0
    while (steps.next().done !== true) count++
    expect(count).toBeGreaterThan(300)
  })
})
