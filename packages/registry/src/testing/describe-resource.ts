import type { ApiTypes } from '@keelson/api'
import { everyField, everything, isApiError } from '@keelson/apimachinery'
import type { KubeObject } from '@keelson/apimachinery'
import { isStoredObject } from '@keelson/storagebackend'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { copyObject } from '../copy-object.ts'
import type { ResourceDefinition } from '../resource-definition.ts'
import type { ListRequest, RestResult, UpdatedObjectInfo } from '../rest.ts'
import type { Store } from '../store.ts'
import { openTestStore } from './open-test-store.ts'
import type { TestStore, TestStoreOptions } from './open-test-store.ts'
import { testContext } from './test-context.ts'
import type { TestContext } from './test-context.ts'

export interface ResourceCases<T extends KubeObject> {
  /** Defaulted hub objects that may be created; a new one at each call. Names do not matter. */
  readonly valid: () => T
  /** Objects that are refused with 422, each with the field of one cause. */
  readonly invalid?: readonly { readonly title: string; readonly object: () => T; readonly field: string }[]
  /** A change that an update may make. Default: a label. */
  readonly change?: (object: T) => void
  readonly types?: ApiTypes
  readonly hooks?: TestStoreOptions<T>['hooks']
}

/** What every resource must do, whatever its own rules: the shared half of a resource's tests. */
export function describeResource<T extends KubeObject>(definition: ResourceDefinition<T>, cases: ResourceCases<T>): void {
  const { valid, invalid = [], change = addLabel, types, hooks } = cases
  const left = new Set(definition.withoutVerbs)
  describe(`${definition.plural}: what every resource does`, () => {
    let test: TestStore<T>
    let store: Store<T>
    let context: TestContext
    beforeEach(() => {
      test = openTestStore(definition, { ...(types && { types }), ...(hooks && { hooks }) })
      store = test.store
      context = testContext(definition.scope === 'Namespaced' ? 'ns' : '')
    })
    afterEach(() => test[Symbol.asyncDispose]())

    const named = (name: string): T => {
      const object = valid()
      object.metadata = { ...object.metadata, name }
      delete object.metadata.namespace
      return object
    }
    const create = async (name: string, dryRun = false): Promise<KubeObject> => plain(await store.create(context, named(name), { dryRun }))
    const read = async (name: string): Promise<KubeObject> => plain(await store.get(context, name, {}))

    it.skipIf(left.has('create'))('creates with uid, time and version, and finds it again', async () => {
      const created = await create('a')
      expect(created.metadata.uid).toMatch(/^[0-9a-f-]{36}$/)
      expect(created.metadata.creationTimestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
      expect(Number(created.metadata.resourceVersion)).toBeGreaterThan(0)
      expect(await read('a')).toEqual(created)
      await expect(create('a')).rejects.toMatchObject({ reason: 'AlreadyExists', code: 409 })
    })

    it.skipIf(left.has('create'))('generates names', async () => {
      const object = named('')
      delete object.metadata.name
      object.metadata.generateName = 'g-'
      expect(plain(await store.create(context, object, { dryRun: false })).metadata.name).toMatch(/^g-[a-z0-9]{5}$/)
    })

    it.skipIf(left.has('create'))('writes nothing in a dry run', async () => {
      expect((await create('a', true)).kind).toBe(definition.kind)
      await expect(read('a')).rejects.toMatchObject({ reason: 'NotFound' })
    })

    it.each(invalid.map(({ title, object, field }) => [title, object, field] as const))('refuses %s', async (_title, object, field) => {
      const failure = await store.create(context, object(), { dryRun: false }).then(
        () => undefined,
        (error: unknown) => error,
      )
      if (!isApiError(failure, 'Invalid')) throw new Error(`not refused as invalid: ${String(failure)}`)
      expect(failure.details?.causes?.map((cause) => cause.field)).toContain(field)
    })

    it.skipIf(left.has('create') || left.has('update'))('updates, and refuses to update from an old version', async () => {
      const created = await create('a')
      const next = copyObject(created) as T
      change(next)
      const { object, created: isNew } = await store.update(context, 'a', put(next), { dryRun: false })
      expect(isNew).toBe(false)
      expect(plain(object).metadata.uid).toBe(created.metadata.uid)
      expect(plain(object).metadata.resourceVersion).not.toBe(created.metadata.resourceVersion)
      const late = copyObject(next)
      late.metadata.annotations = { late: 'yes' }
      await expect(store.update(context, 'a', put(late), { dryRun: false })).rejects.toMatchObject({ reason: 'Conflict', code: 409 })
    })

    it.skipIf(left.has('create') || left.has('update'))('an update that changes nothing writes nothing', async () => {
      const created = await create('a')
      const { object } = await store.update(context, 'a', put(copyObject(created) as T), { dryRun: false })
      expect(plain(object).metadata.resourceVersion).toBe(created.metadata.resourceVersion)
    })

    it.skipIf(left.has('create') || left.has('list'))('lists in order of name', async () => {
      for (const name of ['b', 'a', 'c']) await create(name)
      const list = await store.list(context, everythingThere)
      expect(Array.from(list.items, (item) => item.field('metadata.name'))).toEqual(['a', 'b', 'c'])
    })

    it.skipIf(left.has('create') || left.has('delete') || definition.deletion !== undefined)('deletes', async () => {
      await create('a')
      const { immediate } = await store.delete(context, 'a', { options: { gracePeriodSeconds: 0 }, dryRun: false })
      expect(immediate).toBe(true)
      await expect(read('a')).rejects.toMatchObject({ reason: 'NotFound' })
    })

    it.skipIf(left.has('create') || left.has('watch') || left.has('update'))('watches', async () => {
      const created = await create('a')
      const stop = new AbortController()
      const { resourceVersion = '' } = created.metadata
      const watch = await store.watch(context, { ...everythingThere, resourceVersion, ...watching }, stop.signal)
      const next = copyObject(created) as T
      change(next)
      await store.update(context, 'a', put(next), { dryRun: false })
      for await (const batch of watch) {
        expect(batch.map(({ type }) => type)).toEqual(['MODIFIED'])
        stop.abort()
      }
    })

    it('has a table row', async () => {
      const cells = store.table.cells({ ...named('a'), metadata: { name: 'a', creationTimestamp: '2026-01-01T00:00:00Z' } }, Date.now())
      expect(cells).toHaveLength(store.table.columns.length)
      expect(cells[store.table.columns.findIndex(({ name }) => name === 'Name')]).toBe('a')
    })
  })
}

const everythingThere: ListRequest = {
  predicate: { labels: everything(), fields: everyField() },
  resourceVersion: '',
  resourceVersionMatch: undefined,
  limit: 0,
  continue: '',
}
const watching = { allowBookmarks: false, sendInitialEvents: undefined, deadline: Number.POSITIVE_INFINITY } as const

/** What a PUT of this object is to the registry. */
export function put(object: KubeObject): UpdatedObjectInfo {
  return { updatedObject: async () => copyObject(object) }
}

/** The object of a result, with kind and apiVersion only where the result is a plain object. */
export function plain(result: RestResult): KubeObject {
  return isStoredObject(result) ? result.copy() : result
}

function addLabel(object: KubeObject): void {
  object.metadata.labels = { ...object.metadata.labels, changed: 'yes' }
}
