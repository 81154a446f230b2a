import type { ApiTypes } from '@keelson/api'
import { copyObject, selectEveryField, selectEverything, isApiError, Scheme } from '@keelson/apimachinery'
import type { KubeObject } from '@keelson/apimachinery'
import { openEmbedded, openMemory } from '@keelson/backend-embedded'
import { findMetadata, isStoredObject, copyLazily } from '@keelson/storagebackend'
import type { Backend, ObjectCodec } from '@keelson/storagebackend'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createProtobufCodecs } from '../codecs.ts'
import type { ResourceDefinition } from '../resource-definition.ts'
import type { ListRequest, RestResult } from '../rest.ts'
import type { Store } from '../store.ts'
import type { Change } from '../write/change.ts'
import { openTestStore } from './open-test-store.ts'
import type { TestStore, TestStoreOptions } from './open-test-store.ts'
import { testContext } from './test-context.ts'
import type { TestContext } from './test-context.ts'

export interface ResourceCases<T extends KubeObject> {
  /** Returns a new hub object with defaults that the server accepts for a create. The suite sets its name. */
  readonly valid: () => T
  /** Three names in sorted order, for kinds with special name rules. Default: a, b and c. */
  readonly names?: readonly [string, string, string]
  /** Objects that are refused with 422, and a field that must be among the causes of each. Default: none. */
  readonly invalid?: readonly { readonly title: string; readonly object: () => T; readonly field: string }[]
  /** Changes an object in a way that an update accepts. Default: adds a label. */
  readonly change?: (object: T) => void
  readonly types?: ApiTypes
  readonly hooks?: TestStoreOptions<T>['hooks']
}

function createEtcdCodec<T extends KubeObject>(definition: ResourceDefinition<T>, types: ApiTypes): ObjectCodec<T> {
  const { group, version, kind, setDefaults, storage: { defaultOnRead } = {} } = definition as unknown as ResourceDefinition
  const gvk = { group, version, kind }
  const scheme = new Scheme()
  scheme.register({ gvk, hub: gvk, ...(setDefaults && { setDefaults }) })
  return createProtobufCodecs({ types, scheme })({
    kind: types.kind(gvk)!,
    selectableFields: {},
    defaultOnRead,
  }) as unknown as ObjectCodec<T>
}

/** Defines the tests of behaviour that all resources share. They run on a store in memory and on a store on disk. */
export function describeResource<T extends KubeObject>(definition: ResourceDefinition<T>, cases: ResourceCases<T>): void {
  const { valid, invalid = [], change = addLabel, types, hooks, names = ['a', 'b', 'c'] } = cases
  const [a, b, c] = names
  const excludedVerbs = new Set(definition.withoutVerbs)
  describe.each(Object.entries(drivers))(`${definition.plural} on %s: shared behaviour`, (_driver, open) => {
    let driver: OpenDriver
    let tests = 0
    let test: TestStore<T>
    let store: Store<T>
    let context: TestContext
    beforeAll(async () => void (driver = await open()))
    afterAll(() => driver.close())
    beforeEach(() => {
      const { backend } = driver
      test = openTestStore(definition, { backend, prefix: `/test-${tests++}`, ...(types && { types }), ...(hooks && { hooks }) })
      store = test.store
      context = testContext(definition.scope === 'Namespaced' ? 'ns' : '')
    })
    afterEach(() => test[Symbol.asyncDispose]())

    const createNamed = (name: string): T => {
      const object = valid()
      object.metadata = { ...object.metadata, name }
      delete object.metadata.namespace
      return object
    }
    const create = async (name: string, dryRun = false): Promise<KubeObject> =>
      getPlainObject(await store.create(context, createNamed(name), { dryRun }))
    const read = async (name: string): Promise<KubeObject> => getPlainObject(await store.get(context, name, {}))

    it.skipIf(excludedVerbs.has('create'))(
      'creates an object with uid, creationTimestamp and resourceVersion, and reads it back',
      async () => {
        const created = await create(a)
        expect(created.metadata.uid).toMatch(/^[0-9a-f-]{36}$/)
        expect(created.metadata.creationTimestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
        expect(Number(created.metadata.resourceVersion)).toBeGreaterThan(0)
        expect(await read(a)).toEqual(created)
        await expect(create(a)).rejects.toMatchObject({ reason: 'AlreadyExists', code: 409 })
      },
    )

    it.skipIf(excludedVerbs.has('create') || definition.generateName !== undefined)('generates names', async () => {
      const object = createNamed('')
      delete object.metadata.name
      object.metadata.generateName = 'g-'
      expect(getPlainObject(await store.create(context, object, { dryRun: false })).metadata.name).toMatch(/^g-[a-z0-9]{5}$/)
    })

    it.skipIf(excludedVerbs.has('create'))('writes nothing in a dry run', async () => {
      expect((await create(a, true)).kind).toBe(definition.kind)
      await expect(read(a)).rejects.toMatchObject({ reason: 'NotFound' })
    })

    it.each(invalid.map(({ title, object, field }) => [title, object, field] as const))('refuses %s', async (_title, object, field) => {
      const failure = await store.create(context, object(), { dryRun: false }).then(
        () => undefined,
        (error: unknown) => error,
      )
      if (!isApiError(failure, 'Invalid')) throw new Error(`expected an invalid object: ${String(failure)}`)
      expect(failure.details?.causes?.map((cause) => cause.field)).toContain(field)
    })

    it.skipIf(excludedVerbs.has('create') || excludedVerbs.has('update'))(
      'updates an object, and refuses an update from an old version',
      async () => {
        const created = await create(a)
        const changedObject = copyObject(created) as T
        change(changedObject)
        const { object, created: isNew } = await store.update(context, a, { change: put(changedObject), dryRun: false })
        expect(isNew).toBe(false)
        expect(getPlainObject(object).metadata.uid).toBe(created.metadata.uid)
        expect(getPlainObject(object).metadata.resourceVersion).not.toBe(created.metadata.resourceVersion)
        const staleObject = copyObject(changedObject)
        staleObject.metadata.annotations = { late: 'yes' }
        await expect(store.update(context, a, { change: put(staleObject), dryRun: false })).rejects.toMatchObject({
          reason: 'Conflict',
          code: 409,
        })
      },
    )

    it.skipIf(excludedVerbs.has('create') || excludedVerbs.has('update'))('an update that changes nothing writes nothing', async () => {
      const updateUnchanged = async (unchanged: KubeObject): Promise<KubeObject> =>
        getPlainObject((await store.update(context, a, { change: put(copyObject(unchanged)), dryRun: false })).object)
      const created = await create(a)
      // The first update may store the defaults that are set on read, so it is made before the comparison.
      const stored = definition.storage?.defaultOnRead === undefined ? created : await updateUnchanged(created)
      expect((await updateUnchanged(stored)).metadata.resourceVersion).toBe(stored.metadata.resourceVersion)
    })

    it.skipIf(excludedVerbs.has('create') || excludedVerbs.has('update'))('an update in a dry run writes nothing', async () => {
      const created = await create(a)
      const changedObject = copyObject(created) as T
      change(changedObject)
      await store.update(context, a, { change: put(changedObject), dryRun: true })
      expect(await read(a)).toEqual(created)
    })

    it.skipIf(excludedVerbs.has('create') || excludedVerbs.has('list'))('lists objects in name order', async () => {
      for (const name of [b, a, c]) await create(name)
      const list = await store.list(context, everythingThere)
      expect(Array.from(list.items, (item) => item.field('metadata.name'))).toEqual([a, b, c])
    })

    it.skipIf(excludedVerbs.has('create') || excludedVerbs.has('list'))('lists objects in pages', async () => {
      for (const name of [a, b, c]) await create(name)
      const first = await store.list(context, { ...everythingThere, limit: 2 })
      expect(Array.from(first.items, (item) => item.field('metadata.name'))).toEqual([a, b])
      const secondPage = await store.list(context, { ...everythingThere, limit: 2, continue: first.continue })
      expect(Array.from(secondPage.items, (item) => item.field('metadata.name'))).toEqual([c])
    })

    describe.skipIf(excludedVerbs.has('create') || excludedVerbs.has('delete') || definition.deletion !== undefined)('deletion', () => {
      const options = { gracePeriodSeconds: 0, propagationPolicy: 'Background' }

      it('a delete removes the object', async () => {
        await create(a)
        const { immediate } = await store.delete(context, a, { options, dryRun: false })
        expect(immediate).toBe(true)
        await expect(read(a)).rejects.toMatchObject({ reason: 'NotFound' })
        await expect(store.delete(context, a, { options, dryRun: false })).rejects.toMatchObject({ reason: 'NotFound' })
      })

      it('refuses a delete with another uid or resourceVersion', async () => {
        const { metadata } = await create(a)
        for (const preconditions of [{ resourceVersion: '1' }, { uid: 'another' }]) {
          const request = { options: { ...options, preconditions }, dryRun: false }
          await expect(store.delete(context, a, request)).rejects.toMatchObject({ reason: 'Conflict', code: 409 })
        }
        const preconditions = { resourceVersion: metadata.resourceVersion!, uid: metadata.uid! }
        expect((await store.delete(context, a, { options: { ...options, preconditions }, dryRun: false })).immediate).toBe(true)
      })

      it('a dry run of a delete removes nothing', async () => {
        const created = await create(a)
        await store.delete(context, a, { options, dryRun: true })
        expect(await read(a)).toEqual(created)
      })

      it.skipIf(excludedVerbs.has('update'))('a deleted object exists until its last finalizer is removed', async () => {
        const finalizedObject = createNamed(a)
        finalizedObject.metadata.finalizers = ['example.com/hold']
        await store.create(context, finalizedObject, { dryRun: false })
        const { immediate } = await store.delete(context, a, { options, dryRun: false })
        expect(immediate).toBe(false)
        const marked = await read(a)
        expect(marked.metadata.deletionTimestamp).toMatch(/Z$/)
        const { finalizers: _released, ...metadata } = marked.metadata
        await store.update(context, a, { change: put({ ...marked, metadata }), dryRun: false })
        await expect(read(a)).rejects.toMatchObject({ reason: 'NotFound' })
      })
    })

    it.skipIf(excludedVerbs.has('create') || excludedVerbs.has('watch') || excludedVerbs.has('update'))(
      'a watch sends later updates',
      async () => {
        const created = await create(a)
        const abort = new AbortController()
        const { resourceVersion = '' } = created.metadata
        const watch = await store.watch(context, { ...everythingThere, resourceVersion, ...watching }, abort.signal)
        const changedObject = copyObject(created) as T
        change(changedObject)
        await store.update(context, a, { change: put(changedObject), dryRun: false })
        for await (const batch of watch) {
          expect(batch.map(({ type }) => type)).toEqual(['MODIFIED'])
          abort.abort()
        }
      },
    )

    it('a Table row has one cell for each column', async () => {
      const cells = store.table.createCells(
        { ...createNamed(a), metadata: { name: a, creationTimestamp: '2026-01-01T00:00:00Z' } },
        Date.now(),
      )
      const unlisted = definition.allColumns?.filter(({ isUnlisted }) => isUnlisted === true) ?? []
      expect(cells).toHaveLength(store.table.columns.length + unlisted.length)
      expect(cells[store.table.columns.findIndex(({ name }) => name === 'Name')]).toBe(a)
    })

    it.skipIf(excludedVerbs.has('create') || types === undefined)(
      'reads values that kube-apiserver stored, in both encodings',
      async () => {
        await create(a)
        const stored = await store.get(context, a, {})
        if (!isStoredObject(stored)) throw new Error('the object is not decoded as it was stored')
        const openCodec = (): ObjectCodec<T> => createEtcdCodec(definition, types!)
        const writer = openCodec()
        const key = `/registry/${a}`
        const value = writer.encode(stored.copy() as T, key)
        expect(writer.open(key, value, 7).copy()).toEqual(openCodec().open(key, value, 7).copy())
      },
    )

    it.skipIf(excludedVerbs.has('create'))('a Table row is the same if metadata is decoded lazily', async () => {
      const object = createNamed(a)
      object.metadata.annotations = { ...object.metadata.annotations, note: 'n' }
      await store.create(context, object, { dryRun: false })
      const stored = await store.get(context, a, {})
      if (!isStoredObject(stored)) throw new Error('the object is not decoded as it was stored')
      const now = Date.now()
      expect(store.table.createCells(copyLazily(stored, findMetadata(stored)), now)).toEqual(store.table.createCells(stored.copy(), now))
    })
  })
}

interface OpenDriver {
  readonly backend: Backend
  close(): Promise<void>
}

const drivers: Readonly<Record<string, () => Promise<OpenDriver>>> = {
  async memory() {
    const backend = openMemory()
    return { backend, close: async () => backend[Symbol.asyncDispose]() }
  },
  async LMDB() {
    const directory = await mkdtemp(join(tmpdir(), 'keelson-resource-'))
    const backend = await openEmbedded({ dataDir: join(directory, 'data') })
    return {
      backend,
      async close() {
        await backend[Symbol.asyncDispose]()
        await rm(directory, { recursive: true })
      },
    }
  },
}

const everythingThere: ListRequest = {
  predicate: { labels: selectEverything(), fields: selectEveryField() },
  resourceVersion: '',
  resourceVersionMatch: undefined,
  limit: 0,
  continue: '',
}
const watching = { allowBookmarks: false, sendInitialEvents: undefined, deadline: Number.POSITIVE_INFINITY } as const

/** Creates a change that replaces the whole object with a copy of `object`, like a PUT. */
export function put(object: KubeObject): Change {
  return { kind: 'edit', edit: () => copyObject(object) }
}

/** Returns the object of a result: a copy of a stored object, or the plain object itself. */
export function getPlainObject(result: RestResult): KubeObject {
  return isStoredObject(result) ? result.copy() : result
}

function addLabel(object: KubeObject): void {
  object.metadata.labels = { ...object.metadata.labels, changed: 'yes' }
}
