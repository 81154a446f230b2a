import { createApiTypes } from '@keelson/api'
import { selectEveryField, selectEverything, parseLabelSelector, Scheme } from '@keelson/apimachinery'
import type { DeleteOptions, KubeObject, ObjectMeta } from '@keelson/apimachinery'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { canDeleteCollection } from '../rest.ts'
import type { DeleteRequest, ListRequest, RESTStorage, Updater } from '../rest.ts'
import { openTestStore, getPlainObject, put, testContext } from '../testing/index.ts'
import type { TestStore } from '../testing/index.ts'
import { gardens, widgets } from '../testing/widgets.fixture.ts'
import type { Widget } from '../testing/widgets.fixture.ts'
import type { AdmissionChain } from './admission.ts'

const start = Date.parse('2026-01-01T00:00:00Z')
const context = testContext('ns', { group: 'example.com', version: 'v1', resource: 'widgets' })
let now: number
let test: TestStore<Widget>
beforeEach(() => {
  now = start
  test = openTestStore(widgets, { now: () => now, deleteCollectionWorkers: 3 })
})
afterEach(() => test[Symbol.asyncDispose]())

const create = async (metadata: ObjectMeta, spec: Widget['spec'] = {}): Promise<Widget> =>
  getPlainObject(await test.store.create(context, { metadata, spec } as Widget, { dryRun: false }))
const remove = async (options: DeleteOptions = {}, dryRun = false): Promise<{ immediate: boolean; object: KubeObject }> => {
  const { immediate, object } = await test.store.delete(context, 'a', { options, dryRun })
  return { immediate, object: getPlainObject(object) }
}
const read = async (): Promise<KubeObject> => getPlainObject(await test.store.get(context, 'a', {}))
/** Creates a delete request that runs `validate` as its validating admission. */
function createDeleteRequest(validate: AdmissionChain['validate']): DeleteRequest {
  const admission: AdmissionChain = { handles: () => true, admit() {}, validate }
  const gvr = { group: 'example.com', version: 'v1', resource: 'widgets' }
  const route = {
    admission,
    scheme: new Scheme(),
    types: createApiTypes([]),
    gvk: test.store.gvk,
    gvr,
    subresource: '',
    otherVersions: undefined,
    listEquivalents: () => [],
  }
  return { options: {}, dryRun: false, route }
}
const notFound = { reason: 'NotFound', message: 'widgets.example.com "a" not found' }

it('removes an object at once and returns its last state', async () => {
  const created = await create({ name: 'a' })
  const { immediate, object } = await remove()
  expect([immediate, object.metadata.uid]).toEqual([true, created.metadata.uid])
  await expect(read()).rejects.toMatchObject(notFound)
  await expect(remove()).rejects.toMatchObject(notFound)
})

it('a dry run removes nothing', async () => {
  await create({ name: 'a' })
  expect((await remove({}, true)).immediate).toBe(true)
  await expect(read()).resolves.toBeDefined()
})

it('refuses a delete whose preconditions fail, with an error that names the kind', async () => {
  const { metadata } = await create({ name: 'a' })
  await expect(remove({ preconditions: { uid: 'other' } })).rejects.toMatchObject({
    code: 409,
    message:
      `Operation cannot be fulfilled on Widget.example.com "a": the UID in the precondition (other) does not match the UID in record (${metadata.uid}). ` +
      'The object might have been deleted and then recreated',
    details: { kind: 'Widget' },
  })
  await expect(remove({ preconditions: { resourceVersion: '1' } })).rejects.toMatchObject({ code: 409 })
  await expect(remove({ preconditions: { uid: metadata.uid!, resourceVersion: metadata.resourceVersion! } })).resolves.toBeDefined()
})

it('refuses delete options that contradict each other', async () => {
  await create({ name: 'a' })
  await expect(remove({ orphanDependents: true, propagationPolicy: 'Orphan' })).rejects.toMatchObject({
    code: 422,
    details: { kind: 'DeleteOptions' },
  })
})

describe('finalizers', () => {
  it('an object exists until an update removes its last finalizer', async () => {
    await create({ name: 'a', finalizers: ['example.com/x', 'example.com/y'] })
    const { immediate, object } = await remove()
    expect(immediate).toBe(false)
    expect(object.metadata).toMatchObject({ deletionTimestamp: '2026-01-01T00:00:00Z', deletionGracePeriodSeconds: 0, generation: 2 })
    const afterFirst = await test.store.update(context, 'a', {
      change: put({ metadata: { name: 'a', finalizers: ['example.com/y'] } }),
      dryRun: false,
    })
    expect(getPlainObject(afterFirst.object).metadata.deletionTimestamp).toBe('2026-01-01T00:00:00Z')
    const afterLast = await test.store.update(context, 'a', { change: put({ metadata: { name: 'a' } }), dryRun: false })
    expect(getPlainObject(afterLast.object)).toMatchObject({ kind: 'Widget', metadata: { name: 'a' } })
    await expect(read()).rejects.toMatchObject(notFound)
  })

  it('an update cannot add finalizers after deletion has begun', async () => {
    await create({ name: 'a', finalizers: ['example.com/x'] })
    await remove()
    const addedFinalizer = put({ metadata: { name: 'a', finalizers: ['example.com/x', 'example.com/new'] } })
    await expect(test.store.update(context, 'a', { change: addedFinalizer, dryRun: false })).rejects.toMatchObject({ code: 422 })
  })

  it.each([
    [{ propagationPolicy: 'Orphan' }, ['orphan']],
    [{ propagationPolicy: 'Foreground' }, ['foregroundDeletion']],
    [{ orphanDependents: true }, ['orphan']],
  ])('%o adds %o', async (options, finalizers) => {
    await create({ name: 'a' })
    const { immediate, object } = await remove(options)
    expect([immediate, object.metadata.finalizers]).toEqual([false, finalizers])
  })

  it('a later propagation policy replaces the finalizers of an earlier one, and Background removes them', async () => {
    await create({ name: 'a' })
    await remove({ propagationPolicy: 'Foreground' })
    expect((await remove({ propagationPolicy: 'Orphan' })).object.metadata.finalizers).toEqual(['orphan'])
    expect((await remove({ propagationPolicy: 'Background' })).immediate).toBe(true)
  })

  it('propagation policies set no finalizers without a garbage collector', async () => {
    await using open = openTestStore(widgets, { enableGarbageCollection: false })
    await open.store.create(context, { metadata: { name: 'a' } }, { dryRun: false })
    expect((await open.store.delete(context, 'a', { options: { propagationPolicy: 'Foreground' }, dryRun: false })).immediate).toBe(true)
  })
})

describe('a grace period', () => {
  it('a delete marks the object, a later delete can only shorten the grace period, and 0 removes the object', async () => {
    await create({ name: 'a' }, { grace: 30 })
    const first = await remove()
    expect(first.immediate).toBe(false)
    expect(first.object.metadata).toMatchObject({
      deletionTimestamp: '2026-01-01T00:00:30Z',
      deletionGracePeriodSeconds: 30,
      generation: 2,
    })
    expect((await remove({ gracePeriodSeconds: 60 })).object.metadata.deletionGracePeriodSeconds).toBe(30)
    const shorter = await remove({ gracePeriodSeconds: 10 })
    expect(shorter.object.metadata).toMatchObject({
      deletionTimestamp: '2026-01-01T00:00:10Z',
      deletionGracePeriodSeconds: 10,
      generation: 2,
    })
    expect((await remove({ gracePeriodSeconds: 0 })).immediate).toBe(true)
    await expect(read()).rejects.toMatchObject(notFound)
  })

  it('a delete never sets a deletionTimestamp in the past', async () => {
    await create({ name: 'a' }, { grace: 30 })
    await remove()
    now = start + 60_000
    expect((await remove({ gracePeriodSeconds: 5 })).object.metadata).toMatchObject({
      deletionTimestamp: '2026-01-01T00:01:00Z',
      deletionGracePeriodSeconds: 1,
    })
  })

  it('a grace period of 0 removes an object with graceful deletion at once, in two revisions', async () => {
    const created = await create({ name: 'a' }, { grace: 0 })
    const { immediate, object } = await remove()
    expect(immediate).toBe(true)
    expect(Number(object.metadata.resourceVersion)).toBe(Number(created.metadata.resourceVersion) + 2)
  })

  it('an update does not remove an object during its grace period', async () => {
    await create({ name: 'a', finalizers: ['example.com/x'] }, { grace: 30 })
    await remove()
    await test.store.update(context, 'a', { change: put({ metadata: { name: 'a' } }), dryRun: false })
    await expect(read()).resolves.toBeDefined()
  })
})

describe('deletecollection', () => {
  const allObjects: ListRequest = {
    predicate: { labels: selectEverything(), fields: selectEveryField() },
    resourceVersion: '',
    resourceVersionMatch: undefined,
    limit: 0,
    continue: '',
  }
  it('deletecollection deletes and returns the selected objects', async () => {
    for (let i = 0; i < 7; i++) await create({ name: `w${i}`, labels: { odd: String(i % 2) } })
    const oddObjects = { ...allObjects, predicate: { labels: parseLabelSelector('odd=1'), fields: selectEveryField() } }
    const { items } = await test.store.deleteCollection(context, { options: {}, dryRun: false }, oddObjects)
    expect(items.map((item) => getPlainObject(item).metadata.name)).toEqual(['w1', 'w3', 'w5'])
    const remaining = await test.store.list(context, allObjects)
    expect(Array.from(remaining.items, (item) => item.field('metadata.name'))).toEqual(['w0', 'w2', 'w4', 'w6'])
  })

  it('deletecollection with a limit deletes one page, and a refused object ends it', async () => {
    for (let i = 0; i < 4; i++) await create({ name: `w${i}` })
    const page = await test.store.deleteCollection(context, { options: {}, dryRun: false }, { ...allObjects, limit: 3 })
    expect(page.continue).not.toBe('')
    expect([...(await test.store.list(context, allObjects)).items]).toHaveLength(1)
    const deletion = test.store.deleteCollection(
      context,
      createDeleteRequest(() => Promise.reject(new Error('no'))),
      allObjects,
    )
    await expect(deletion).rejects.toThrow('no')
  })

  it('deletecollection shows objects to slow admission one after the other, and none after a refusal', async () => {
    for (const name of ['b', 'c', 'd', 'e', 'f']) await create({ name })
    const events: string[] = []
    const validateSlowly: AdmissionChain['validate'] = async ({ oldObject }) => {
      const name = oldObject!.metadata.name!
      events.push(`begin ${name}`)
      await new Promise((resolve) => setTimeout(resolve, 5))
      events.push(`end ${name}`)
      if (name === 'd') throw new Error('kept')
    }
    await expect(test.store.deleteCollection(context, createDeleteRequest(validateSlowly), allObjects)).rejects.toThrow('kept')
    expect(events).toEqual(['begin b', 'end b', 'begin c', 'end c', 'begin d', 'end d'])
    const { items } = await test.store.deleteCollection(context, { options: {}, dryRun: false }, allObjects)
    expect(items).toHaveLength(3)
  })

  it('deletecollection stops when the client disconnects', async () => {
    for (let i = 0; i < 20; i++) await create({ name: `w${i}` })
    const disconnect = new AbortController()
    let validations = 0
    const disconnectAtFifth = async (): Promise<void> => void (++validations === 5 && disconnect.abort(new Error('gone')))
    const abortableContext = { ...context, signal: disconnect.signal }
    await expect(test.store.deleteCollection(abortableContext, createDeleteRequest(disconnectAtFifth), allObjects)).rejects.toThrow('gone')
    expect([...(await test.store.list(context, allObjects)).items].length).toBeGreaterThan(10)
  })

  it('a kind that excludes deletecollection has no deletecollection', async () => {
    await using open = openTestStore(gardens)
    expect(canDeleteCollection(open.paths.get('gardens')!)).toBe(false)
    expect(canDeleteCollection(test.paths.get('widgets')!)).toBe(true)
  })
})

describe('deletion in two steps', () => {
  const cluster = testContext('', { group: 'example.com', version: 'v1', resource: 'gardens' })
  const request = { options: {}, dryRun: false }

  it('the first step marks the object, and the update that removes the last spec finalizer removes the object', async () => {
    await using open = openTestStore(gardens, { now: () => now })
    await open.store.create(cluster, { metadata: { name: 'g' }, spec: { finalizers: ['kubernetes'] } } as Widget, { dryRun: false })
    const first = await open.store.delete(cluster, 'g', request)
    expect(first.immediate).toBe(false)
    expect(getPlainObject(first.object)).toMatchObject({
      metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' },
      status: { phase: 'Terminating' },
    })
    const second = await open.store.delete(cluster, 'g', request)
    expect(getPlainObject(second.object).metadata.resourceVersion).toBe(getPlainObject(first.object).metadata.resourceVersion)
    await open.store.update(cluster, 'g', {
      change: put({ metadata: { name: 'g' }, spec: { finalizers: ['kubernetes'] } } as Widget),
      dryRun: false,
    })
    const finalize = open.paths.get('gardens/finalize') as RESTStorage & Updater
    await finalize.update(cluster, 'g', { change: put({ metadata: { name: 'g' }, spec: {} } as Widget), dryRun: false })
    await expect(open.store.get(cluster, 'g', {})).rejects.toMatchObject({ reason: 'NotFound' })
  })

  it('the second delete removes an object without finalizers', async () => {
    await using open = openTestStore(gardens)
    await open.store.create(cluster, { metadata: { name: 'g' } }, { dryRun: false })
    expect((await open.store.delete(cluster, 'g', request)).immediate).toBe(false)
    expect((await open.store.delete(cluster, 'g', request)).immediate).toBe(true)
  })

  it('does not delete a later object with the same name', async () => {
    await using open = openTestStore(gardens)
    await open.store.create(cluster, { metadata: { name: 'g' } }, { dryRun: false })
    await expect(open.store.delete(cluster, 'g', { options: { preconditions: { uid: 'x' } }, dryRun: false })).rejects.toMatchObject({
      code: 409,
    })
  })
})
