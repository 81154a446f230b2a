import type { KubeObject } from '@keelson/apimachinery'
import type { StoredObject } from '@keelson/storagebackend'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { canGet, canPatch, canUpdate } from '../rest.ts'
import type { RESTStorage, Updater } from '../rest.ts'
import { createScaleSubresource } from '../scale-subresource.ts'
import { openTestStore, getPlainObject, put, testContext } from '../testing/index.ts'
import type { TestStore } from '../testing/index.ts'
import { widgets } from '../testing/widgets.fixture.ts'
import type { Widget } from '../testing/widgets.fixture.ts'

let test: TestStore<Widget>
let created: Widget
const context = testContext('ns', { group: 'example.com', version: 'v1', resource: 'widgets' })
beforeEach(async () => {
  test = openTestStore(widgets)
  created = getPlainObject(
    await test.store.create(context, { metadata: { name: 'a', labels: { l: '1' } }, spec: { size: 1 } } as Widget, { dryRun: false }),
  )
})
afterEach(() => test[Symbol.asyncDispose]())

const update = async (object: KubeObject, options: { dryRun?: boolean; uid?: string } = {}): Promise<Widget> => {
  const { uid, dryRun = false } = options
  const preconditions = uid === undefined ? undefined : { uid }
  return getPlainObject((await test.store.update(context, 'a', { change: put(object), dryRun, preconditions })).object)
}

it('keeps fields that clients may not change', async () => {
  const wild = { name: 'a', uid: '', creationTimestamp: '1999-01-01T00:00:00Z', generation: 99 }
  const updated = await update({ metadata: wild, spec: { size: 1 } } as Widget)
  expect(updated.metadata).toMatchObject({
    uid: created.metadata.uid,
    creationTimestamp: created.metadata.creationTimestamp,
    generation: 1,
  })
})

it('updates the latest object if the update has no resourceVersion, and refuses an old resourceVersion', async () => {
  await update({ metadata: { name: 'a' }, spec: { size: 2 } } as Widget)
  await expect(update({ ...created, spec: { size: 3 } } as Widget)).rejects.toMatchObject({
    code: 409,
    message:
      'Operation cannot be fulfilled on widgets.example.com "a": the object has been modified; please apply your changes to the latest version and try again',
    details: { name: 'a', group: 'example.com', kind: 'widgets' },
  })
})

it('refuses an update without a resourceVersion if the kind requires one', async () => {
  await using strict = openTestStore(
    { ...widgets, strategy: { ...widgets.strategy, allowUnconditionalUpdate: false } },
    { backend: test.backend },
  )
  await expect(strict.store.update(context, 'a', { change: put({ metadata: { name: 'a' } }), dryRun: false })).rejects.toMatchObject({
    code: 422,
    message: 'widgets.example.com "a" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update',
  })
})

it('reports a wrong uid as a conflict, with the error message of the storage', async () => {
  await expect(update({ metadata: { name: 'a' } }, { uid: 'other' })).rejects.toMatchObject({
    code: 409,
    message:
      'Operation cannot be fulfilled on widgets.example.com "a": StorageError: invalid object, Code: 4, Key: /registry/widgets/ns/a, ' +
      `ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: other, UID in object meta: ${created.metadata.uid}`,
  })
})

it('reports changes of immutable fields as often as kube-apiserver', async () => {
  const failure = await update({ metadata: { name: 'a', namespace: 'ns', uid: 'other' } }).then(
    () => undefined,
    (error: { details: { causes: { field: string }[] } }) => error,
  )
  expect(failure?.details.causes.filter(({ field }) => field === 'metadata.uid')).toHaveLength(2)
})

it('returns the changed object of a dry run, and writes nothing', async () => {
  const dry = await update({ metadata: { name: 'a' }, spec: { size: 5 } } as Widget, { dryRun: true })
  expect(dry).toMatchObject({
    kind: 'Widget',
    spec: { size: 5 },
    metadata: { generation: 2, resourceVersion: created.metadata.resourceVersion },
  })
  expect(getPlainObject(await test.store.get(context, 'a', {}))).toEqual(created)
})

it('passes copies of the stored object to edits and to the subresource scale', async () => {
  const readShared = async (): Promise<Widget> => ((await test.store.get(context, 'a', {})) as StoredObject<Widget>).object() as Widget
  const changeInPlace = (current: KubeObject | undefined): KubeObject => Object.assign(current!, { spec: { size: 5 } })
  await test.store.update(context, 'a', { change: { kind: 'edit', edit: changeInPlace }, dryRun: true })
  expect(await readShared()).toMatchObject({ spec: { size: 1 } })
  const scale = createScaleSubresource<Widget>({
    getReplicas: ({ spec }) => spec?.size ?? 0,
    setReplicas: ({ spec }, size) => void (spec!.size = size),
    getStatusReplicas: () => 0,
    replicasPath: 'spec.size',
    formatSelector: () => '',
  })(test.store) as RESTStorage & Updater
  const setFiveReplicas = (current: KubeObject | undefined): KubeObject => ({ ...current!, spec: { replicas: 5 } }) as KubeObject
  const { object } = await scale.update(context, 'a', { change: { kind: 'edit', edit: setFiveReplicas }, dryRun: true })
  expect(object).toMatchObject({ spec: { replicas: 5 } })
  expect(await readShared()).toMatchObject({ spec: { size: 1 } })
})

it('throws if a change with a body has no route', async () => {
  const body = { form: 'json', bytes: Buffer.from('{}'), cbor: undefined } as const
  await expect(test.store.update(context, 'a', { change: { kind: 'replace', body }, dryRun: false })).rejects.toThrow('without a route')
})

it('applies the change again after a concurrent update', async () => {
  let attempts = 0
  const edit = async (current: KubeObject | undefined): Promise<KubeObject> => {
    if (++attempts === 1) await update({ metadata: { name: 'a' }, spec: { size: 7 } } as Widget)
    return { ...current!, metadata: { ...current!.metadata, labels: { round: String(attempts) } } }
  }
  const { object } = await test.store.update(context, 'a', { change: { kind: 'edit', edit }, dryRun: false })
  expect(attempts).toBe(2)
  expect(getPlainObject(object)).toMatchObject({ spec: { size: 7 }, metadata: { labels: { round: '2' } } })
})

it('keeps the changes of all concurrent updates', async () => {
  const edit = async (current: KubeObject | undefined): Promise<KubeObject> => {
    const widget = current as Widget
    return { ...widget, spec: { size: (widget.spec?.size ?? 0) + 1 } } as Widget
  }
  await Promise.all(Array.from({ length: 30 }, () => test.store.update(context, 'a', { change: { kind: 'edit', edit }, dryRun: false })))
  expect(getPlainObject(await test.store.get(context, 'a', {}))).toMatchObject({ spec: { size: 31 }, metadata: { generation: 31 } })
})

it('does not create an absent object if the update has a uid precondition', async () => {
  const strategy = { ...widgets.strategy, allowCreateOnUpdate: true }
  await using open = openTestStore({ ...widgets, strategy }, { backend: test.backend })
  const request = { change: put({ metadata: { name: 'new' } }), preconditions: { uid: 'x' } }
  for (const dryRun of [true, false]) {
    await expect(open.store.update(context, 'new', { ...request, dryRun })).rejects.toMatchObject({ code: 409 })
  }
})

it('changes status only through the subresource, which cannot create objects', async () => {
  const changed = { ...created, spec: { size: 9 }, status: { phase: 'Ready' } } as Widget
  expect((await update(changed)).status).toBeUndefined()
  const status = test.paths.get('widgets/status') as RESTStorage & Updater
  expect(canGet(status) && canPatch(status)).toBe(true)
  const { object } = await status.update(context, 'a', {
    change: put({ metadata: { name: 'a' }, status: { phase: 'Ready' } } as Widget),
    dryRun: false,
  })
  expect(getPlainObject(object)).toMatchObject({ spec: { size: 9 }, status: { phase: 'Ready' } })
  await expect(status.update(context, 'b', { change: put({ metadata: { name: 'b' } }), dryRun: false })).rejects.toMatchObject({
    reason: 'NotFound',
  })
})

it('serves PUT of finalize, but not GET', () => {
  const finalize = test.paths.get('widgets/finalize')!
  expect([canUpdate(finalize), canGet(finalize), canPatch(finalize)]).toEqual([true, false, false])
})

it('stores the defaults that are set on read with the first update, even without changes, and returns them in dry runs', async () => {
  const labels = { filled: 'in' }
  const isDue = ({ metadata }: { readonly metadata: { readonly labels?: object } }): boolean => metadata.labels === undefined
  const fill = (object: Widget): void => void (object.metadata.labels = labels)
  await using filling = openTestStore({ ...widgets, storage: { defaultOnRead: { isDue, fill } } }, { backend: test.backend })
  const { store } = filling
  const created = getPlainObject(await store.create(context, { metadata: { name: 'b' }, spec: { size: 1 } } as Widget, { dryRun: false }))
  expect(created.metadata.labels).toEqual(labels)
  const dryRunResult = await store.create(context, { metadata: { name: 'c' }, spec: { size: 1 } } as Widget, { dryRun: true })
  expect(getPlainObject(dryRunResult).metadata.labels).toEqual(labels)
  const updateUnchanged = async (): Promise<Widget> =>
    getPlainObject((await store.update(context, 'b', { change: put(created), dryRun: false })).object)
  const first = await updateUnchanged()
  expect(first.metadata.resourceVersion).not.toBe(created.metadata.resourceVersion)
  delete created.metadata.resourceVersion
  expect(await updateUnchanged()).toEqual(first)
})
