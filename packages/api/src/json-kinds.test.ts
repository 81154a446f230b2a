import { decodeJson, isApiError } from '@keelson/apimachinery'
import { expect, it } from 'vitest'
import { createApiTypes } from './api-types.ts'
import { jsonKinds } from './json-kinds.ts'
import { openAPISchemas } from './openapi/index.ts'

const groupVersion = { group: 'example.com', version: 'v1' }
const gvk = { ...groupVersion, kind: 'Widget' }
const untyped = jsonKinds(groupVersion, [{ kind: 'Widget' }])
const typed = jsonKinds(groupVersion, [{ kind: 'Widget', fields: [{ name: 'size', type: { kind: 'int32' } }] }])
const sent = '{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"a"},"size":3,"color":"red"}'

it('keeps every member of a kind without declared fields, and only declared members of other kinds', () => {
  const decoded = [untyped, typed].map((types) => decodeJson(types.kinds[0]!.schema, sent).object)
  expect(decoded).toEqual([
    { metadata: { name: 'a' }, color: 'red', size: 3 },
    { metadata: { name: 'a' }, size: 3 },
  ])
})

it('includes the list type of each kind', () => {
  const types = createApiTypes([untyped])
  expect(types.kind({ ...gvk, kind: 'WidgetList' })?.schema.byName.get('items')?.type.kind).toBe('list')
  expect(types.findSchema('com.example.v1.Widget')).toBe(types.kind(gvk)?.schema)
})

it('publishes no properties for a kind without declared fields', () => {
  const published = openAPISchemas([untyped.kinds[0]!.schema])['com.example.v1.Widget']
  expect(published).toEqual({
    type: 'object',
    'x-kubernetes-group-version-kind': [gvk],
    'x-kubernetes-preserve-unknown-fields': true,
  })
  expect(Object.keys(openAPISchemas([typed.kinds[0]!.schema])['com.example.v1.Widget']!.properties!)).toContain('size')
})

it('has no protobuf encoding', () => {
  const encode = (): unknown => untyped.kinds[0]!.encodeProto({ metadata: {} })
  expect(encode).toThrow('cannot be encoded to a protobuf message')
  let thrown: unknown
  try {
    encode()
  } catch (error) {
    thrown = error
  }
  expect(isApiError(thrown, 'NotAcceptable')).toBe(true)
})
