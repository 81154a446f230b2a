import { newBadRequest, Scheme } from '@keelson/apimachinery'
import { openMemory } from '@keelson/backend-embedded'
import { expect, test } from 'vitest'
import { defineApiGroup } from './api-group.ts'
import { defineResource } from './resource-definition.ts'
import { createRESTOptionsGetter } from './rest-options.ts'
import { newStorageFactoryConfig } from './storage-factory.ts'
import type { Store } from './store.ts'
import { testContext, untyped, createUntypedCodec } from './testing/index.ts'
import { widgets } from './testing/widgets.fixture.ts'
import type { Widget } from './testing/widgets.fixture.ts'

test('registers defaults and field selectors of its kinds in the scheme', () => {
  const widgetsWithDefaults = defineResource<Widget>({
    ...widgets,
    setDefaults(widget) {
      widget.metadata.labels ??= { size: 'usual' }
    },
    selectableFields: { 'spec.size': () => '1' },
  })
  const scheme = new Scheme()
  defineApiGroup({ name: widgets.group, priority: 1, types: [], resources: [widgetsWithDefaults] }).register(scheme)
  const gvk = { group: widgets.group, version: widgets.version, kind: widgets.kind }
  const widget = { metadata: { name: 'a' } }
  scheme.setDefaults(gvk, widget)
  expect(widget).toEqual({ metadata: { name: 'a', labels: { size: 'usual' } } })
  expect(scheme.findHub(gvk)).toEqual(gvk)
  for (const label of ['metadata.name', 'metadata.namespace', 'spec.size']) expect(scheme.convertFieldLabel(gvk, label)).toBe(label)
  expect(() => scheme.convertFieldLabel(gvk, 'spec.color')).toThrow('field label not supported: spec.color')
})

test('supports additional field labels for cluster-wide objects, but not metadata.namespace', () => {
  const scheme = new Scheme()
  const wide = defineResource<Widget>({ ...widgets, scope: 'Cluster', selectableFields: { 'spec.size': () => '1' } })
  defineApiGroup({ name: widgets.group, priority: 1, types: [], resources: [wide] }).register(scheme)
  const gvk = { group: widgets.group, version: widgets.version, kind: widgets.kind }
  expect(() => scheme.convertFieldLabel(gvk, 'metadata.namespace')).toThrow('field label not supported: metadata.namespace')
})

test('creates its stores with the services of the server', async () => {
  const group = defineApiGroup({
    name: widgets.group,
    priority: 1,
    types: [],
    resources: [widgets],
    createExtensions: ({ refuse }: { readonly refuse: string }) => ({
      hooks: {
        widgets: () => ({
          beginCreate() {
            throw newBadRequest(refuse)
          },
        }),
      },
    }),
  })
  await using backend = openMemory()
  const restOptions = createRESTOptionsGetter({
    storageFactory: newStorageFactoryConfig().complete({ backend, createCodec: createUntypedCodec }).new(),
  })
  const storage = group.newRESTStorage!({ restOptions, types: untyped, services: { refuse: 'no widgets today' }, defer() {} })
  expect([...storage.keys()]).toEqual(['widgets', 'widgets/status', 'widgets/finalize'])
  const store = storage.get('widgets') as Store<Widget>
  await expect(store.create(testContext('ns'), { metadata: { name: 'a' } }, { dryRun: false })).rejects.toThrow('no widgets today')
  await store.storage.close()
})
