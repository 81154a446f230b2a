import { formatFieldError } from '@keelson/apimachinery'
import type { JsonObject } from '@keelson/apimachinery'
import type { JSONSchemaProps } from '@keelson/api/apiextensions/v1'
import { describe, expect, it } from 'vitest'
import { compileSchema } from './compile-schema.ts'

function createObjectSchema(properties: Record<string, JSONSchemaProps>, rest: JSONSchemaProps = {}): JSONSchemaProps {
  return { type: 'object', properties, ...rest }
}

function createSpecSchema(properties: Record<string, JSONSchemaProps>, rest: JSONSchemaProps = {}): JSONSchemaProps {
  return createObjectSchema({ spec: createObjectSchema(properties, rest) })
}

function validateToMessages(schema: JSONSchemaProps, object: JsonObject, old?: JsonObject): readonly string[] {
  return compileSchema(schema).validate(object, old).map(formatFieldError)
}

function prune(schema: JSONSchemaProps, object: JsonObject): { object: JsonObject; paths: readonly string[] } {
  return { object, paths: compileSchema(schema).prune(object) }
}

function withDefaults(schema: JSONSchemaProps, object: JsonObject): JsonObject {
  compileSchema(schema).setDefaults(object)
  return object
}

const integer: JSONSchemaProps = { type: 'integer' }
const string: JSONSchemaProps = { type: 'string' }

describe('prune', () => {
  it('removes unspecified fields at every level and returns their paths in order', () => {
    const schema = createSpecSchema({ list: { type: 'array', items: createObjectSchema({ a: string }) } })
    const object = { metadata: { name: 'x' }, spec: { z: 1, list: [{ a: 'b', c: 1 }, { d: {} }] }, extra: 1 }
    expect(prune(schema, object)).toEqual({
      object: { metadata: { name: 'x' }, spec: { list: [{ a: 'b' }, {}] } },
      paths: ['extra', 'spec.list[0].c', 'spec.list[1].d', 'spec.z'],
    })
  })

  it('keeps unspecified fields where the schema preserves them, and prunes specified fields within', () => {
    const schema = createSpecSchema({ inner: createObjectSchema({ a: string }) }, { 'x-kubernetes-preserve-unknown-fields': true })
    expect(prune(schema, { spec: { any: { b: 1 }, inner: { a: '', b: 1 } } })).toEqual({
      object: { spec: { any: { b: 1 }, inner: { a: '' } } },
      paths: ['spec.inner.b'],
    })
  })

  it('keeps apiVersion, kind and metadata of embedded resources', () => {
    const schema = createSpecSchema({ template: { type: 'object', 'x-kubernetes-embedded-resource': true } })
    const template = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'x' } }
    expect(prune(schema, { spec: { template: { ...template, spec: {} } } })).toEqual({
      object: { spec: { template } },
      paths: ['spec.template.spec'],
    })
  })

  it('prunes values of additional properties', () => {
    const schema = createSpecSchema({ map: { type: 'object', additionalProperties: createObjectSchema({ a: string }) } })
    expect(prune(schema, { spec: { map: { x: { a: '', b: 1 } } } }).paths).toEqual(['spec.map.x.b'])
  })

  it('can keep the nulls that validation rejects', () => {
    const typed: JSONSchemaProps = {
      type: 'object',
      properties: { a: { type: 'string' }, any: { 'x-kubernetes-preserve-unknown-fields': true } },
    }
    const object: JsonObject = { a: null, any: null }
    compileSchema(typed).prune(object, { keepsInvalidNulls: true })
    expect(object).toEqual({ a: null })
  })

  it('removes nulls of fields that are not nullable, unless a default replaces them', () => {
    const schema = createSpecSchema({ a: string, b: { ...string, nullable: true }, c: { ...string, default: 'x' } })
    expect(prune(schema, { spec: { a: null, b: null, c: null } }).object).toEqual({ spec: { b: null, c: null } })
  })

  it('returns at most 1,000 paths', () => {
    const object = Object.fromEntries(Array.from({ length: 2000 }, (_, i) => [`field${i}`, i]))
    const { paths, object: pruned } = prune(createSpecSchema({}), object)
    expect(paths.length).toBe(1000)
    expect(pruned).toEqual({})
  })
})

describe('setDefaults', () => {
  it('sets absent fields and replaces nulls, also in lists, maps and other defaults', () => {
    const item = createObjectSchema({ port: { ...integer, default: 80 } })
    const schema = createSpecSchema({
      list: { type: 'array', items: item },
      map: { type: 'object', additionalProperties: item },
      nested: { ...item, default: {} },
      nullable: { ...string, nullable: true, default: 'x' },
    })
    expect(withDefaults(schema, { spec: { list: [{}, { port: 1 }], map: { a: { port: null } }, nullable: null } })).toEqual({
      spec: { list: [{ port: 80 }, { port: 1 }], map: { a: { port: 80 } }, nested: { port: 80 }, nullable: null },
    })
  })

  it('does not create the objects around a default', () => {
    expect(withDefaults(createSpecSchema({ a: { ...string, default: 'x' } }), {})).toEqual({})
  })

  it('copies defaults, so that objects do not share them', () => {
    const schema = compileSchema(createSpecSchema({ list: { type: 'array', items: string, default: ['a'] } }))
    const [first, second] = [{ spec: {} as JsonObject }, { spec: {} as JsonObject }]
    schema.setDefaults(first)
    schema.setDefaults(second)
    ;(first.spec['list'] as string[]).push('b')
    expect(second).toEqual({ spec: { list: ['a'] } })
  })
})

describe('validate', () => {
  it('accepts a valid object', () => {
    const schema = createSpecSchema(
      { n: { ...integer, minimum: 1, maximum: 3, multipleOf: 1 }, s: { ...string, pattern: '^a' } },
      { required: ['n'] },
    )
    expect(validateToMessages(schema, { spec: { n: 2, s: 'ab', other: 1 } })).toEqual([])
  })

  it.each<[string, JSONSchemaProps, JsonObject['a'], string]>([
    ['a wrong type', integer, 'x', 'spec.x: Invalid value: "string": spec.x in body must be of type integer: "string"'],
    ['null', integer, null, 'spec.x: Invalid value: "null": spec.x in body must be of type integer: "null"'],
    ['an enum', { ...string, enum: ['a', 'b'] }, 'c', 'spec.x: Unsupported value: "c": supported values: "a", "b"'],
    ['a pattern', { ...string, pattern: '^a$' }, 'b', `spec.x: Invalid value: "b": spec.x in body should match '^a$'`],
    ['a short text', { ...string, minLength: 2 }, '😀', 'spec.x: Invalid value: "😀": spec.x in body should be at least 2 chars long'],
    ['a long text', { ...string, maxLength: 1 }, 'ab', 'spec.x: Too long: may not be more than 1 byte'],
    ['a minimum', { ...integer, minimum: 5 }, 4, 'spec.x: Invalid value: 4: spec.x in body should be greater than or equal to 5'],
    [
      'an exclusive maximum',
      { ...integer, maximum: 5, exclusiveMaximum: true },
      5,
      'spec.x: Invalid value: 5: spec.x in body should be less than 5',
    ],
    ['a multiple', { ...integer, multipleOf: 5 }, 4, 'spec.x: Invalid value: 4: spec.x in body should be a multiple of 5'],
    ['a format', { ...string, format: 'date-time' }, 'x', 'spec.x: Invalid value: "x": spec.x in body must be of type date-time: "x"'],
    ['items', { type: 'array', items: integer, maxItems: 1 }, [1, 2], 'spec.x: Too many: 2: must have at most 1 item'],
    [
      'an item',
      { type: 'array', items: integer },
      [1, 'a'],
      'spec.x[1]: Invalid value: "string": spec.x[1] in body must be of type integer: "string"',
    ],
    [
      'int-or-string',
      { 'x-kubernetes-int-or-string': true },
      1.5,
      'spec.x: Invalid value: "number": spec.x in body must be of type integer,string: "number"',
    ],
    ['a required field', createObjectSchema({}, { required: ['a'] }), {}, 'spec.x.a: Required value'],
    [
      'additional properties',
      { type: 'object', additionalProperties: integer },
      { 'a.b': 'c' },
      'spec.x.a.b: Invalid value: "string": spec.x.a.b in body must be of type integer: "string"',
    ],
    [
      'int32',
      { ...integer, format: 'int32' },
      2 ** 31,
      '<nil>: Invalid value: "": Checked value must be of type integer with format int32 in spec.x',
    ],
    ['not', { ...integer, not: { minimum: 1 } }, 1, '<nil>: Invalid value: "": "spec.x" must not validate the schema (not)'],
  ])('reports a violation of %s like kube-apiserver', (_, schema, value, message) => {
    expect(validateToMessages(createSpecSchema({ x: schema }), { spec: { x: value! } })).toEqual([message])
  })

  it('reports the problems of the anyOf alternative with the most successful checks', () => {
    const schema = createSpecSchema({}, { anyOf: [{ required: ['a'] }, { required: ['b'], properties: { c: { minimum: 1 } } }] })
    expect(validateToMessages(schema, { spec: { c: 2 } })).toEqual([
      '<nil>: Invalid value: "": "spec" must validate at least one schema (anyOf)',
      'spec.b: Required value',
    ])
  })
})

describe('validate with the old object', () => {
  const item = createObjectSchema({ name: string, size: { ...integer, maximum: 5 } })
  const schema = createSpecSchema({
    size: { ...integer, maximum: 5 },
    list: { type: 'array', items: item, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] },
  })

  it('accepts invalid values that do not change', () => {
    expect(validateToMessages(schema, { spec: { size: 9, other: 1 } }, { spec: { size: 9 } })).toEqual([])
    expect(validateToMessages(schema, { spec: { size: 8 } }, { spec: { size: 9 } })).toHaveLength(1)
  })

  it('finds the old item of a list by its keys', () => {
    const old = { spec: { list: [{ name: 'a', size: 9 }] } }
    expect(
      validateToMessages(
        schema,
        {
          spec: {
            list: [
              { name: 'b', size: 1 },
              { name: 'a', size: 9 },
            ],
          },
        },
        old,
      ),
    ).toEqual([])
    expect(validateToMessages(schema, { spec: { list: [{ name: 'b', size: 9 }] } }, old)).toHaveLength(1)
  })
})

describe('validateListTypes', () => {
  const schema = compileSchema(
    createSpecSchema({
      set: { type: 'array', items: string, 'x-kubernetes-list-type': 'set' },
      map: {
        type: 'array',
        items: createObjectSchema({ a: string, b: string }),
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['a', 'b'],
      },
    }),
  )

  it('reports each repeated element once', () => {
    const object = { spec: { set: ['a', 'b', 'a', 'a'], map: [{ a: '1', b: '2' }, { a: '1', b: '2', c: 3 }, {}] } }
    expect(schema.validateListTypes(object).map(formatFieldError)).toEqual([
      'spec.set[2]: Duplicate value: "a"',
      'spec.map[1]: Duplicate value: {"a":"1","b":"2"}',
    ])
  })

  it('accepts duplicates if the old object has duplicates', () => {
    expect(schema.validateListTypes({ spec: { set: ['a', 'a'] } }, { spec: { set: ['b', 'b'] } })).toEqual([])
  })
})

describe('embedded resources', () => {
  const schema = compileSchema(
    createSpecSchema({
      template: { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
    }),
  )

  it('converts metadata and reports its unknown fields', () => {
    const object = { spec: { template: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'x', creationTimestamp: null, extra: 1 } } } }
    expect(schema.coerceEmbedded(object).unknown).toEqual(['spec.template.metadata.extra'])
    expect(object.spec.template.metadata).toEqual({ name: 'x' })
  })

  it('reports metadata of the wrong type', () => {
    const { error } = schema.coerceEmbedded({ spec: { template: { metadata: { labels: 'x' } } } })
    expect(formatFieldError(error!)).toBe(
      'spec.template.metadata: Invalid value: {"labels":"x"}: json: cannot unmarshal string into Go struct field ObjectMeta.labels of type map[string]string',
    )
  })

  it('drops metadata of the wrong type in stored objects', () => {
    const object = { spec: { template: { kind: 1, metadata: { name: 'x', labels: 'x' } } } }
    expect(schema.coerceEmbedded(object, { dropInvalid: true }).error).toBeUndefined()
    expect(object).toEqual({ spec: { template: { metadata: { name: 'x' } } } })
  })

  it('validates apiVersion, kind and metadata', () => {
    const object = { spec: { template: { kind: 'a b', metadata: { name: 'a/b' } } } }
    expect(schema.validateEmbedded(object).map(({ field }) => field)).toEqual([
      'spec.template.apiVersion',
      'spec.template.kind',
      'spec.template.metadata.name',
    ])
  })
})
