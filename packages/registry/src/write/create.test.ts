import type { KubeObject } from '@keelson/apimachinery'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openTestStore, getPlainObject, put, testContext } from '../testing/index.ts'
import type { TestStore } from '../testing/index.ts'
import { gardens, widgets } from '../testing/widgets.fixture.ts'
import type { Widget } from '../testing/widgets.fixture.ts'

let names: string[]
let test: TestStore<Widget>
beforeEach(() => {
  names = []
  test = openTestStore(widgets, {
    now: () => Date.parse('2026-01-02T03:04:05.678Z'),
    newUid: () => 'uid-1',
    generateName: (base) => base + (names.shift() ?? 'last'),
  })
})
afterEach(() => test[Symbol.asyncDispose]())

const context = testContext('ns', { group: 'example.com', version: 'v1', resource: 'widgets' })
const create = (metadata: KubeObject['metadata'], spec?: Widget['spec'], dryRun = false): Promise<KubeObject> =>
  test.store.create(context, { metadata, ...(spec && { spec }) }, { dryRun }).then(getPlainObject)

it('sets system fields, and ignores the values that the client sent', async () => {
  const created = await create({
    name: 'a',
    uid: 'mine',
    creationTimestamp: '1999-01-01T00:00:00Z',
    deletionTimestamp: '1999-01-01T00:00:00Z',
  })
  const { resourceVersion: _, ...metadata } = created.metadata
  expect(metadata).toEqual({ name: 'a', namespace: 'ns', uid: 'uid-1', creationTimestamp: '2026-01-02T03:04:05Z', generation: 1 })
})

it('refuses a resourceVersion with an error that has no reason', async () => {
  const failure = { code: 500, reason: '', message: 'resourceVersion should not be set on objects to be created' }
  await expect(create({ name: 'a', resourceVersion: '5' })).rejects.toMatchObject(failure)
  await expect(create({ name: 'a', resourceVersion: '0' })).resolves.toBeDefined()
})

it('refuses an object whose namespace differs from that of the request', async () => {
  await expect(create({ name: 'a', namespace: 'other' })).rejects.toMatchObject({
    code: 400,
    message: 'the namespace of the provided object does not match the namespace sent on the request',
  })
})

it('names the kind in errors of invalid objects', async () => {
  await expect(create({})).rejects.toMatchObject({
    code: 422,
    message: 'Widget.example.com "" is invalid: metadata.name: Required value: name or generateName is required',
  })
  await expect(create({ name: 'UPPER' }, { size: -1 })).rejects.toMatchObject({
    details: { causes: [{ field: 'metadata.name' }, { field: 'spec.size' }] },
  })
})

it('generates another name if the generated name exists, and gives up after eight attempts', async () => {
  await create({ name: 'g-x' })
  names = ['x', 'x', 'y']
  expect((await create({ generateName: 'g-' })).metadata.name).toBe('g-y')
  names = Array.from({ length: 8 }, () => 'x')
  await expect(create({ generateName: 'g-' })).rejects.toMatchObject({
    reason: 'AlreadyExists',
    message: 'widgets.example.com "g-x" already exists, the server was not able to generate a unique name for the object',
    details: { retryAfterSeconds: 1 },
  })
})

it('reports that the existing object is being deleted', async () => {
  await create({ name: 'a', finalizers: ['example.com/hold'] })
  await test.store.delete(context, 'a', { options: {}, dryRun: false })
  await expect(create({ name: 'a' })).rejects.toMatchObject({
    reason: 'AlreadyExists',
    message: 'object is being deleted: widgets.example.com "a" already exists',
  })
})

it('sends warnings to the context and validates the final object', async () => {
  const warningContext = testContext('ns')
  const validatedObjects: KubeObject[] = []
  await test.store.create(warningContext, { metadata: { name: 'a' }, spec: { size: 13 } } as Widget, {
    dryRun: true,
    validate: async (object) => void validatedObjects.push(object),
  })
  expect(warningContext.warnings).toEqual(['13 is unlucky'])
  expect(validatedObjects[0]?.metadata).toMatchObject({ name: 'a', namespace: 'ns', uid: 'uid-1' })
})

it('returns no resourceVersion in a dry run, and still refuses an existing name', async () => {
  const created = await create({ name: 'a' }, undefined, true)
  expect(created).toMatchObject({ kind: 'Widget', apiVersion: 'example.com/v1' })
  expect(created.metadata.resourceVersion).toBeUndefined()
  await create({ name: 'a' })
  await expect(create({ name: 'a' }, undefined, true)).rejects.toMatchObject({ reason: 'AlreadyExists' })
})

it('refuses names that are not valid path segments', async () => {
  await expect(test.store.get(context, 'a/b', {})).rejects.toMatchObject({
    code: 400,
    message: 'Name parameter invalid: "a/b": may not contain \'/\'',
  })
  await expect(test.store.get(context, '..', {})).rejects.toMatchObject({ code: 400 })
  await expect(test.store.get(testContext(''), 'a', {})).rejects.toMatchObject({ message: 'Namespace parameter required.' })
})

it('creates an absent object on update if the kind allows that', async () => {
  await expect(test.store.update(context, 'b', { change: put({ metadata: { name: 'b' } }), dryRun: false })).rejects.toMatchObject({
    code: 404,
    message: 'widgets.example.com "b" not found',
  })
  await using open = openTestStore({ ...widgets, strategy: { ...widgets.strategy, allowCreateOnUpdate: true } })
  const { created, object } = await open.store.update(context, 'b', { change: put({ metadata: { name: 'b' } }), dryRun: false })
  expect([created, getPlainObject(object).metadata.generation]).toEqual([true, 1])
})

it('drops the namespace of a cluster-wide object', async () => {
  await using open = openTestStore(gardens)
  const created = getPlainObject(await open.store.create(testContext(''), { metadata: { name: 'a', namespace: 'x' } }, { dryRun: false }))
  expect(created.metadata.namespace).toBeUndefined()
})
