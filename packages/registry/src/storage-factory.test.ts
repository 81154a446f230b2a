import { openMemory } from '@keelson/backend-embedded'
import { expect, it } from 'vitest'
import { completeWithOptions } from './store-dependencies.ts'
import { createRESTOptionsGetter } from './rest-options.ts'
import { newStorageFactoryConfig } from './storage-factory.ts'
import { openTestStore, testContext, untyped, createUntypedCodec } from './testing/index.ts'
import { widgets } from './testing/widgets.fixture.ts'

const storageFactory = newStorageFactoryConfig().complete({ backend: openMemory(), createCodec: createUntypedCodec }).new()

it('backendOverrides sets the store of one resource, or of all other resources of a group', () => {
  const [backend, overrideBackend, groupBackend] = [openMemory(), openMemory(), openMemory()]
  const backendOverrides = new Map([
    ['/events', overrideBackend],
    ['apps/*', groupBackend],
    ['apps/deployments', overrideBackend],
  ])
  const factory = newStorageFactoryConfig().complete({ backend, backendOverrides, createCodec: createUntypedCodec }).new()
  const findBackend = (group: string, resource: string): unknown => factory.newConfig({ group, resource }).backend
  expect(findBackend('', 'pods')).toBe(backend)
  expect(findBackend('', 'events')).toBe(overrideBackend)
  expect(findBackend('apps', 'deployments')).toBe(overrideBackend)
  expect(findBackend('apps', 'daemonsets')).toBe(groupBackend)
})

it('accepts a custom key prefix, and refuses an empty one', () => {
  const createFactory = (prefix: string) =>
    newStorageFactoryConfig().complete({ backend: openMemory(), createCodec: createUntypedCodec, prefix }).new()
  expect(createFactory('kubernetes.io/').newConfig({ group: '', resource: 'pods' }).resourcePrefix).toBe('/kubernetes.io/pods')
  expect(() => createFactory('/')).toThrow('must not be empty')
})

it.each([
  ['its plural', widgets, '/registry/widgets/ns/a'],
  ['the prefix of its definition', { ...widgets, storage: { prefix: 'parts/widgets' } }, '/registry/parts/widgets/ns/a'],
])('uses the key prefix %s', async (_, definition, key) => {
  await using test = openTestStore(definition)
  await test.store.create(testContext('ns'), { metadata: { name: 'a' } }, { dryRun: false })
  expect((await test.backend.get(key)).entry).toBeDefined()
})

it('names the missing option', () => {
  const restOptions = createRESTOptionsGetter({ storageFactory })
  expect(() => completeWithOptions({ ...widgets, plural: '' }, { restOptions, types: untyped })).toThrow('qualified resource')
  expect(() => completeWithOptions(widgets, { restOptions: undefined as never, types: untyped })).toThrow(
    'options for widgets.example.com must have restOptions set',
  )
  expect(() => completeWithOptions({ ...widgets, storage: { triggerField: 'spec.color' } }, { restOptions, types: untyped })).toThrow(
    'store for widgets.example.com: the trigger field spec.color must be selectable',
  )
  const noTypes = { kind: () => undefined, findSchema: () => undefined }
  expect(() => completeWithOptions(widgets, { restOptions, types: noTypes })).toThrow('unknown type example.com/v1 Widget')
})
