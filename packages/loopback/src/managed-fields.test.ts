import { Scheme } from '@keelson/apimachinery'
import type { FieldSchema, KubeObject, StructSchema } from '@keelson/apimachinery'
import { defineResource } from '@keelson/registry'
import { openTestStore } from '@keelson/registry/testing'
import { expect, it } from 'vitest'
import { createLoopbackClient } from './create-loopback-client.ts'

interface Thing extends KubeObject {
  spec?: { size?: number; colour?: string }
  status?: { ready: boolean }
}
const gvk = { group: 'example.com', version: 'v1', kind: 'Thing' }

function createStruct(name: string, fields: readonly FieldSchema[]): StructSchema {
  return { kind: 'struct', name, definition: name, fields, byName: new Map(fields.map((field) => [field.name, field])) }
}
const createTextField = (name: string): FieldSchema => ({ name, type: { kind: 'string' }, omit: 'empty' })
const metadata = createStruct('ObjectMeta', [
  createTextField('name'),
  createTextField('namespace'),
  createTextField('uid'),
  createTextField('resourceVersion'),
  createTextField('creationTimestamp'),
])
const spec = createStruct('ThingSpec', [{ name: 'size', type: { kind: 'int32' }, omit: 'empty' }, createTextField('colour')])
const status = createStruct('ThingStatus', [{ name: 'ready', type: { kind: 'bool' } }])
const schema = createStruct('Thing', [
  { name: 'metadata', type: metadata },
  { name: 'spec', type: spec },
  { name: 'status', type: status, omit: 'empty', pointer: true },
])
const throwUnused = (): never => {
  throw new Error('not here')
}
const types = { schemaOf: () => undefined, kind: () => ({ gvk, schema, encodeProto: throwUnused, decodeProto: throwUnused }) }

it('records managed fields for writes of the client and for server-side apply', async () => {
  const things = defineResource<Thing>({
    ...gvk,
    plural: 'things',
    scope: 'Namespaced',
    strategy: {},
    subresources: { status: { update: {} } },
  })
  await using store = openTestStore(things)
  const client = createLoopbackClient({ scheme: new Scheme(), types, fieldManager: 'me', now: () => 0 })
  client.add(gvk, store.paths)
  const resource = client.resource<Thing>({ group: 'example.com', resource: 'things' })!
  const createEntry = (manager: string, operation: string, fieldsV1: object, overrides: object = {}): object => {
    const time = '1970-01-01T00:00:00Z'
    return { manager, operation, apiVersion: 'example.com/v1', time, fieldsType: 'FieldsV1', fieldsV1, ...overrides }
  }

  const created = await resource.create('ns', { metadata: { name: 'a' }, spec: { size: 1 } })
  expect(created.getObject().metadata.managedFields).toEqual([createEntry('me', 'Update', { 'f:spec': { 'f:size': {} } })])
  const unchanged = await resource.update('ns', 'a', (thing) => ({ ...thing, spec: { size: 1 } }))
  expect(unchanged.getObject().metadata.resourceVersion).toBe(created.getObject().metadata.resourceVersion)

  const applied = await resource.apply('ns', { metadata: { name: 'a' }, spec: { size: 2, colour: 'red' } }, { fieldManager: 'painter' })
  expect(applied.getObject().spec).toEqual({ size: 2, colour: 'red' })
  expect(applied.getObject().metadata.managedFields).toEqual([
    createEntry('painter', 'Apply', { 'f:spec': { 'f:colour': {}, 'f:size': {} } }),
  ])

  const ready = await resource.update('ns', 'a', (thing) => ({ ...thing, status: { ready: true } }), { subresource: 'status' })
  expect(ready.getObject().metadata.managedFields?.[1]).toEqual(
    createEntry('me', 'Update', { 'f:status': { '.': {}, 'f:ready': {} } }, { subresource: 'status' }),
  )

  expect((await resource.apply('ns', { metadata: { name: 'new' } }, { fieldManager: 'painter' })).getObject()).toMatchObject({
    metadata: { name: 'new' },
  })
  const named = await resource.create('ns', { metadata: { name: 'named' }, spec: { size: 1 } }, { fieldManager: 'producer' })
  expect(named.getObject().metadata.managedFields?.map(({ manager }) => manager)).toEqual(['producer'])
  const changed = await resource.update('ns', 'named', (thing) => ({ ...thing, spec: { size: 2 } }), { fieldManager: 'other' })
  expect(changed.getObject().metadata.managedFields?.map(({ manager }) => manager)).toContain('other')

  await expect(
    resource.apply('ns', { metadata: { name: 'absent' } }, { fieldManager: 'painter', subresource: 'status' }),
  ).rejects.toMatchObject({ reason: 'NotFound' })
})
