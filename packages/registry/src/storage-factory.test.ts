import { openMemory } from '@keelson/backend-embedded'
import { expect, it } from 'vitest'
import { completeWithOptions } from './complete-with-options.ts'
import { createRESTOptionsGetter } from './rest-options-getter.ts'
import { newStorageFactoryConfig } from './storage-factory.ts'
import { openTestStore, testContext, untyped, untypedCodecs } from './testing/index.ts'
import { widgets } from './testing/widgets.fixture.ts'

const storageFactory = newStorageFactoryConfig().complete({ backend: openMemory(), createCodec: untypedCodecs }).new()

it.each([
  ['', 'configmaps', '/registry/configmaps'],
  ['', 'nodes', '/registry/minions'],
  ['', 'services', '/registry/services/specs'],
  ['', 'endpoints', '/registry/services/endpoints'],
  ['', 'replicationcontrollers', '/registry/controllers'],
  ['networking.k8s.io', 'ingresses', '/registry/ingress'],
  ['', 'events', '/registry/events'],
  ['events.k8s.io', 'events', '/registry/events'],
  ['apps', 'deployments', '/registry/deployments'],
])('%s/%s lies where the original has it', (group, resource, place) => {
  expect(storageFactory.newConfig({ group, resource }).resourcePrefix).toBe(place)
})

it('a resource, or the rest of its group, may have a store of its own; objects of two groups lie where the first does', () => {
  const [backend, one, rest] = [openMemory(), openMemory(), openMemory()]
  const config = newStorageFactoryConfig()
  config.cohabitatingResources.push([
    { group: 'new.example.com', resource: 'widgets' },
    { group: 'old.example.com', resource: 'widgets' },
  ])
  const backendOverrides = new Map([
    ['/events', one],
    ['apps/*', rest],
    ['apps/deployments', one],
    ['new.example.com/widgets', one],
    ['old.example.com/widgets', rest],
  ])
  const factory = config.complete({ backend, backendOverrides, createCodec: untypedCodecs }).new()
  const backendOf = (group: string, resource: string): unknown => factory.newConfig({ group, resource }).backend
  expect(backendOf('', 'pods')).toBe(backend)
  expect(backendOf('', 'events')).toBe(one)
  expect(backendOf('events.k8s.io', 'events')).toBe(one)
  expect(backendOf('apps', 'deployments')).toBe(one)
  expect(backendOf('apps', 'daemonsets')).toBe(rest)
  expect(backendOf('old.example.com', 'widgets')).toBe(one)
  expect(factory.newConfig({ group: 'old.example.com', resource: 'widgets' }).resourcePrefix).toBe('/registry/widgets')
})

it('takes another root, and refuses none', () => {
  const at = (prefix: string) => newStorageFactoryConfig().complete({ backend: openMemory(), createCodec: untypedCodecs, prefix }).new()
  expect(at('kubernetes.io/').newConfig({ group: '', resource: 'pods' }).resourcePrefix).toBe('/kubernetes.io/pods')
  expect(() => at('/')).toThrow('names no place')
})

it('keys are the original’s', async () => {
  await using test = openTestStore(widgets)
  await test.store.create(testContext('ns'), { metadata: { name: 'a' } }, { dryRun: false })
  expect((await test.backend.get('/registry/widgets/ns/a')).entry).toBeDefined()
})

it('says what is missing', () => {
  const restOptions = createRESTOptionsGetter({ storageFactory })
  expect(() => completeWithOptions({ ...widgets, plural: '' }, { restOptions, types: untyped })).toThrow('qualified resource')
  expect(() => completeWithOptions(widgets, { restOptions: undefined as never, types: untyped })).toThrow(
    'options for widgets.example.com must have restOptions set',
  )
  const none = { kind: () => undefined, schemaOf: () => undefined }
  expect(() => completeWithOptions(widgets, { restOptions, types: none })).toThrow('no type is known for example.com/v1 Widget')
})
