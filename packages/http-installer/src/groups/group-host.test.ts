import { createApiTypes } from '@keelson/api'
import { metaV1 } from '@keelson/api/meta/v1'
import type { GroupVersionTypes, KindType } from '@keelson/api'
import { coreV1 } from '@keelson/api/core/v1'
import { Scheme } from '@keelson/apimachinery'
import { createRESTOptionsGetter, defineApiGroup, defineResource, newRESTStorage, newStorageFactoryConfig } from '@keelson/registry'
import type { ApiGroup } from '@keelson/registry'
import { parseQuery, parseRequestInfo, parseTarget } from '@keelson/exchange'
import { openTestStore, createUntypedCodec } from '@keelson/registry/testing'
import { Hono } from 'hono'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createExchanges, DiscoveryRegistry, getExchange, responseSent, writePageNotFound } from '../index.ts'
import type { InstallerEnv } from '../index.ts'
import { ApiSurface } from '../routing/api-surface.ts'
import { nothingAdmitted } from '../test-server.fixture.ts'
import { createGroupHost } from './group-host.ts'
import type { GroupHost } from './group-host.ts'

const configMap = coreV1.kinds.find(({ gvk }) => gvk.kind === 'ConfigMap')!

/** Returns the types of a group version with one kind, which has the fields of a ConfigMap. */
function createTypes(group: string, version: string, kind: string): GroupVersionTypes {
  const gvk = { group, version, kind }
  const { fields, byName } = configMap.schema
  const schema = { ...configMap.schema, fields, byName, gvk }
  const type: KindType = { gvk, schema, encodeProto: () => new Uint8Array(), decodeProto: () => ({ metadata: {} }) }
  return { groupVersion: { group, version }, kinds: [type], table: coreV1.table }
}

function createGroup(name: string, plural: string, kind: string, overrides: Partial<ApiGroup> = {}): ApiGroup {
  const definition = defineResource({ group: name, version: 'v1', kind, plural, scope: 'Cluster', strategy: {} })
  const types = [createTypes(name, 'v1', kind)]
  return { ...defineApiGroup({ name, priority: 1, types, resources: [definition] }), ...overrides }
}

const widgets = createGroup('example.com', 'widgets', 'Widget')
const gadgets = createGroup('example.com', 'gadgets', 'Gadget')

let store: AsyncDisposable
let app: Hono<InstallerEnv>
let host: GroupHost
let listed: Set<() => readonly string[]>
let servedPaths: string[]
let ended: string[]
const discovery = new DiscoveryRegistry()
const types = createApiTypes([metaV1])
const scheme = new Scheme()

beforeEach(() => {
  const test = openTestStore(defineResource({ ...widgets.resources[0]!, plural: 'others' }))
  store = test
  const { backend } = test
  app = new Hono<InstallerEnv>()
  app.use(createExchanges(app, { user: { name: 'tester', groups: ['system:masters'] } }))
  app.notFound((c) => {
    writePageNotFound(getExchange(c))
    return responseSent
  })
  listed = new Set()
  servedPaths = []
  ended = []
  const storageFactory = newStorageFactoryConfig().complete({ backend, createCodec: createUntypedCodec }).new()
  host = createGroupHost({
    app,
    scheme,
    types,
    restOptions: createRESTOptionsGetter({ storageFactory }),
    admission: nothingAdmitted,
    services: undefined,
    serving: { discovery },
    client: {
      add({ group }, paths) {
        const names = Array.from(paths.keys(), (path) => `${path}.${group}`)
        servedPaths.push(...names)
        return () => void (servedPaths = servedPaths.filter((name) => !names.includes(name)))
      },
    },
    informers: {
      async remove({ resource }) {
        ended.push(resource)
      },
    },
    addListedPaths(paths) {
      listed.add(paths)
      return () => listed.delete(paths)
    },
  })
})
afterEach(async () => {
  await host[Symbol.asyncDispose]()
  await store[Symbol.asyncDispose]()
})

const requestStatus = async (path: string): Promise<number> => (await app.request(path)).status
const listAllPaths = (): string[] => [...listed].flatMap((paths) => paths())

it('serves a group from the next request on, and removes everything it added', async () => {
  expect(await requestStatus('/apis/example.com/v1/widgets')).toBe(404)
  const installed = host.install(widgets)
  expect(await requestStatus('/apis/example.com/v1/widgets')).toBe(200)
  expect(discovery.group('example.com')?.versions.map(({ version }) => version)).toEqual(['v1'])
  expect(listAllPaths()).toEqual(['/apis', '/apis/example.com', '/apis/example.com/v1'])
  expect([servedPaths, host.storages.size]).toEqual([['widgets.example.com'], 1])
  expect(types.kind({ group: 'example.com', version: 'v1', kind: 'Widget' })).toBeDefined()

  await installed[Symbol.asyncDispose]()
  expect(await requestStatus('/apis/example.com/v1/widgets')).toBe(404)
  expect(discovery.groups('name')).toEqual([])
  expect([listAllPaths(), servedPaths, host.storages.size, ended]).toEqual([[], [], 0, ['widgets']])
  expect([...scheme.kinds()]).toEqual([])
  expect(types.kind({ group: 'example.com', version: 'v1', kind: 'Widget' })).toBeUndefined()
})

it('removing a group ends its watches, and keeps its stored objects for the next installation', async () => {
  const first = host.install(widgets)
  const json = { 'content-type': 'application/json' }
  const body = JSON.stringify({ apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'a' } })
  expect((await app.request('/apis/example.com/v1/widgets', { method: 'POST', body, headers: json })).status).toBe(201)
  const watch = (await app.request('/apis/example.com/v1/widgets?watch=1&resourceVersion=0')).text()
  await first[Symbol.asyncDispose]()
  expect(await watch).not.toContain('ERROR')
  host.install(widgets)
  expect(await requestStatus('/apis/example.com/v1/widgets/a')).toBe(200)
})

it('merges groups with the same name, and removing one keeps the others', async () => {
  const first = host.install(widgets)
  host.install(gadgets)
  expect(await requestStatus('/apis/example.com/v1/widgets')).toBe(200)
  expect(discovery.group('example.com')?.versions[0]?.resources.map(({ name }) => name)).toEqual(['gadgets', 'widgets'])
  await first[Symbol.asyncDispose]()
  expect([await requestStatus('/apis/example.com/v1/widgets'), await requestStatus('/apis/example.com/v1/gadgets')]).toEqual([404, 200])
})

it('rejects a group that is already installed, without side effects', async () => {
  host.install(widgets)
  expect(() => host.install(widgets)).toThrow('kind registered twice: example.com/v1/Widget')
  expect(() => host.install(createGroup('example.com', 'widgets', 'Other'))).toThrow('widgets is already installed in example.com/v1')
  expect([...scheme.kinds()].map(({ gvk }) => gvk.kind)).toEqual(['Widget'])
  expect([await requestStatus('/apis/example.com/v1/widgets'), host.storages.size]).toEqual([200, 1])
})

it('serves a resource under other groups in its definition while they are installed', async () => {
  const alias = defineApiGroup({
    name: 'alias.example.com',
    priority: 1,
    types: [createTypes('alias.example.com', 'v1', 'Widget')],
    resources: [],
  })
  const shared = defineResource({ ...widgets.resources[0]!, alsoServedAs: [{ group: 'alias.example.com', version: 'v1' }] })
  host.install(defineApiGroup({ name: 'example.com', priority: 1, types: widgets.types, resources: [shared] }))
  expect(await requestStatus('/apis/alias.example.com/v1/widgets')).toBe(404)
  const installed = host.install(alias)
  expect(await requestStatus('/apis/alias.example.com/v1/widgets')).toBe(200)
  await installed[Symbol.asyncDispose]()
  expect([await requestStatus('/apis/alias.example.com/v1/widgets'), await requestStatus('/apis/example.com/v1/widgets')]).toEqual([
    404, 200,
  ])
})

it('runs deferred functions in reverse order, after the storages have been removed', async () => {
  const order: string[] = []
  const installed = host.install({
    ...widgets,
    newRESTStorage(at) {
      at.defer(() => void order.push('first'))
      at.defer(async () => void order.push(`second with ${host.storages.size} storages`))
      return newRESTStorage(at, widgets.resources)
    },
  })
  await installed[Symbol.asyncDispose]()
  await installed[Symbol.asyncDispose]()
  expect(order).toEqual(['second with 0 storages', 'first'])
})

it('lists versions of several definitions by stability, and adding one keeps the routes of the others', async () => {
  const createVersion = (version: string, plural: string, kind: string): ApiGroup => {
    const definition = defineResource({ group: 'example.com', version, kind, plural, scope: 'Cluster', strategy: {} })
    const types = [createTypes('example.com', version, kind)]
    return { ...defineApiGroup({ name: 'example.com', priority: 1, types, resources: [definition] }), sortsVersions: true }
  }
  host.install(createVersion('v1beta1', 'widgets', 'Widget'))
  const path = parseTarget('/apis/example.com/v1beta1/widgets')
  const routeOfWidgets = (): unknown => ApiSurface.on(app)!.find(parseRequestInfo('GET', path, parseQuery('')))
  const route = routeOfWidgets()
  host.install(createVersion('v2', 'gadgets', 'Gadget'))
  const second = host.install(createVersion('v1beta1', 'gizmos', 'Gizmo'))
  host.install(createVersion('v10', 'gizmos', 'Gizmo'))
  const listVersions = (): unknown => discovery.group('example.com')?.versions.map(({ version }) => version)
  expect(listVersions()).toEqual(['v10', 'v2', 'v1beta1'])
  expect([route === undefined, routeOfWidgets() === route]).toEqual([false, true])
  expect(servedPaths).toEqual(['widgets.example.com', 'gadgets.example.com', 'gizmos.example.com', 'gizmos.example.com'])

  await second[Symbol.asyncDispose]()
  expect([await requestStatus('/apis/example.com/v1beta1/gizmos'), await requestStatus('/apis/example.com/v1beta1/widgets')]).toEqual([
    404, 200,
  ])
  expect(listVersions()).toEqual(['v10', 'v2', 'v1beta1'])
})
