import { createApiTypes } from '@keelson/api'
import { coreV1 } from '@keelson/api/core/v1'
import { Scheme } from '@keelson/apimachinery'
import type { KubeObject } from '@keelson/apimachinery'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { defineResource } from '../resource-definition.ts'
import { openTestStore, getPlainObject, testContext } from '../testing/index.ts'
import type { TestStore } from '../testing/index.ts'
import type { AdmissionChain } from './admission.ts'
import type { Change } from './change.ts'
import { createWriteRoute } from './route.ts'
import type { WriteRoute } from './route.ts'
import { createObject } from './write.ts'

interface ConfigMap extends KubeObject {
  data?: Record<string, string>
}

const gvk = { group: '', version: 'v1', kind: 'ConfigMap' }
const gvr = { group: '', version: 'v1', resource: 'configmaps' }
const context = testContext('ns', gvr)
const options = { dryRun: false, fieldManager: 'me', force: true, fieldValidation: 'Strict' } as const
const types = createApiTypes([coreV1])

/** The steps of the last write, in the order in which they ran. */
let steps: string[]
let test: TestStore<ConfigMap>
let route: WriteRoute
/** A concurrent write that runs once, during mutating admission. */
let meanwhile: (() => Promise<void>) | undefined

const configMaps = defineResource<ConfigMap>({
  ...gvk,
  plural: 'configmaps',
  scope: 'Namespaced',
  strategy: {
    allowCreateOnUpdate: true,
    prepareForCreate: () => void steps.push('prepare'),
    prepareForUpdate: () => void steps.push('prepare'),
    validateCreate: () => (steps.push('validate'), []),
    validateUpdate: () => (steps.push('validate'), []),
  },
})

function createConfigMap(data: Record<string, string>): ConfigMap {
  return { metadata: { name: 'a' }, data }
}

beforeEach(() => {
  steps = []
  meanwhile = undefined
  test = openTestStore(configMaps, { types })
  const scheme = new Scheme()
  scheme.register({ gvk, hub: gvk, setDefaults: () => void steps.push('default') })
  const listManagers = ({ metadata }: KubeObject): string => (metadata.managedFields ?? []).map(({ manager }) => manager).join()
  const admission: AdmissionChain = {
    handles: () => true,
    async admit({ object, operation }) {
      steps.push(`mutate ${operation} owned by ${listManagers(object!)}`)
      await meanwhile?.()
    },
    validate: ({ operation }) => void steps.push(`admit ${operation}`),
  }
  const authorizeCreate = (): void => void steps.push('authorize create')
  const readClock = (): number => 0
  route = createWriteRoute({ storage: test.store, gvk, gvr, subresource: '', scheme, types, admission, authorizeCreate, now: readClock })
})
afterEach(() => test[Symbol.asyncDispose]())

const encodeBody = (sent: KubeObject) => ({ form: 'json', bytes: Buffer.from(JSON.stringify(sent)), cbor: undefined }) as const
const create = (sent: ConfigMap) => createObject(test.store, { route, context, name: '', options, sent: encodeBody(sent) })
const update = (change: Change) => test.store.update(context, 'a', { change, dryRun: false, route, options })

const changes: Readonly<Record<string, (data: Record<string, string>) => Change>> = {
  PUT: (data) => ({ kind: 'replace', body: encodeBody(createConfigMap(data)) }),
  'a merge patch': (data) => ({ kind: 'patch', type: 'application/merge-patch+json', body: Buffer.from(JSON.stringify({ data })) }),
  'a strategic patch': (data) => ({
    kind: 'patch',
    type: 'application/strategic-merge-patch+json',
    body: Buffer.from(JSON.stringify({ data })),
  }),
  'a JSON patch': (data) => ({
    kind: 'patch',
    type: 'application/json-patch+json',
    body: Buffer.from(JSON.stringify([{ op: 'add', path: '/data', value: data }])),
  }),
  apply: (data) => ({
    kind: 'apply',
    configuration: { config: { apiVersion: 'v1', kind: 'ConfigMap', ...createConfigMap(data) } as never },
  }),
  'an edit': (data) => ({ kind: 'edit', edit: (current) => ({ ...current!, data }) as ConfigMap }),
}
const ordered = ['mutate UPDATE', 'prepare', 'validate', 'admit UPDATE']
const withoutOwners = (): string[] => steps.filter((step) => step !== 'default').map((step) => step.replace(/ owned by .*/, ''))

it('runs the steps of a create in the right order', async () => {
  await create(createConfigMap({ a: '1' }))
  expect(steps).toEqual(['default', 'mutate CREATE owned by test', 'prepare', 'validate', 'admit CREATE'])
})

it.each(Object.entries(changes))('runs the steps of an update by %s in the right order', async (_name, change) => {
  await create(createConfigMap({ z: '0' }))
  steps.length = 0
  const { object: written } = await update(change({ a: '1' }))
  expect(getPlainObject(written)).toMatchObject({ data: { a: '1' } })
  expect(withoutOwners()).toEqual(ordered)
  expect(steps.find((step) => step.startsWith('mutate'))).toMatch(/owned by (?:.*,)?(?:test|me)/)
})

it.each(Object.entries(changes))('runs the steps of %s again if a concurrent write came first', async (_name, change) => {
  await create(createConfigMap({ z: '0' }))
  steps.length = 0
  meanwhile = async () => {
    meanwhile = undefined
    const label = (current: ConfigMap): ConfigMap => Object.assign(current, { metadata: { ...current.metadata, labels: { won: 'yes' } } })
    await test.store.rewrite(context, 'a', { change: label, dryRun: false })
  }
  const { object: written } = await update(change({ a: '1' }))
  expect(withoutOwners()).toEqual([...ordered, ...ordered])
  expect(getPlainObject(written)).toMatchObject({ data: { a: '1' } })
})

it.each(['PUT', 'apply'])('runs the steps of a create if %s creates the object', async (name) => {
  const { created } = await update(changes[name]!({ a: '1' }))
  expect(created).toBe(true)
  expect(withoutOwners()).toEqual(['mutate CREATE', 'prepare', 'validate', 'authorize create', 'admit CREATE'])
})

it('creates an absent object by server-side apply even if a PUT may not create', async () => {
  await using strict = openTestStore({ ...configMaps, strategy: {} }, { types })
  const request = { dryRun: false, route, options }
  await expect(strict.store.update(context, 'a', { ...request, change: changes['PUT']!({}) })).rejects.toMatchObject({ code: 404 })
  expect(await strict.store.update(context, 'a', { ...request, change: changes['apply']!({}) })).toMatchObject({ created: true })
})

it('runs admission for a write on a route without options', async () => {
  await create(createConfigMap({ z: '0' }))
  steps.length = 0
  await test.store.update(context, 'a', { change: changes['an edit']!({ a: '1' }), dryRun: true, route })
  expect(withoutOwners()).toEqual(ordered)
})

it('reports an invalid body even if the object is absent', async () => {
  const renamed: Change = { kind: 'replace', body: encodeBody({ metadata: { name: 'b' } }) }
  await expect(update(renamed)).rejects.toMatchObject({ code: 400, message: expect.stringContaining('does not match the name on the URL') })
  expect(steps).toEqual(['default'])
})

it('does not change the shared stored object', async () => {
  await create(createConfigMap({ a: '1' }))
  const stored = await test.store.get(context, 'a', {})
  const unchanged = JSON.stringify(getPlainObject(stored))
  for (const change of Object.values(changes)) await update(change({ a: String(Math.random()) }))
  expect(JSON.stringify(getPlainObject(stored))).toBe(unchanged)
})
