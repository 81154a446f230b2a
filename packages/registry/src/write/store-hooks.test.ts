import { newInvalid } from '@keelson/apimachinery'
import { expect, it } from 'vitest'
import type { StorageDecorator } from '../rest-options.ts'
import type { Change } from './change.ts'
import type { StoreHooks } from '../store-dependencies.ts'
import { openTestStore, put, testContext } from '../testing/index.ts'
import { widgets } from '../testing/widgets.fixture.ts'
import type { Widget } from '../testing/widgets.fixture.ts'
import { createUndecoratedStorage } from '../rest-options.ts'

const context = testContext('ns')
const real = { dryRun: false }
const now = { options: { gracePeriodSeconds: 0 }, dryRun: false }
const createWidget = (name: string, size = 1): Widget => ({ metadata: { name }, spec: { size } })

/** Creates hooks that record their calls in call order. */
function createRecordingHooks(): { readonly calls: string[]; readonly hooks: StoreHooks<Widget> } {
  const calls: string[] = []
  const recordHook = (name: string) => {
    calls.push(`begin ${name}`)
    return (success: boolean): void => void calls.push(`${name} ${success ? 'kept' : 'given back'}`)
  }
  return {
    calls,
    hooks: {
      beginCreate: (_context, object, { dryRun }) => {
        expect(object.metadata.uid).toBeDefined()
        return recordHook(dryRun ? 'dry run' : 'create')
      },
      beginUpdate: (_context, object, old) => recordHook(`update ${old.spec?.size} to ${object.spec?.size}`),
      afterDelete: (object) => void calls.push(`deleted ${object.metadata.name}`),
    },
  }
}

it('finishes hooks with true if the write succeeds, otherwise with false', async () => {
  const { calls, hooks } = createRecordingHooks()
  await using test = openTestStore(widgets, { hooks: () => hooks })
  await test.store.create(context, createWidget('a'), real)
  await expect(test.store.create(context, createWidget('a'), real)).rejects.toMatchObject({ reason: 'AlreadyExists' })
  await expect(test.store.create(context, createWidget('b', -1), real)).rejects.toMatchObject({ reason: 'Invalid' })
  await test.store.create(context, createWidget('c'), { dryRun: true })
  expect(calls.splice(0)).toEqual([
    'begin create',
    'create kept',
    'begin create',
    'create given back',
    'begin create',
    'create given back',
    'begin dry run',
    'dry run kept',
  ])
  await test.store.update(context, 'a', { change: put(createWidget('a', 2)), ...real })
  await expect(test.store.update(context, 'a', { change: put(createWidget('a', -2)), ...real })).rejects.toMatchObject({
    reason: 'Invalid',
  })
  await test.store.delete(context, 'a', { ...now, dryRun: true })
  await test.store.delete(context, 'a', now)
  expect(calls).toEqual(['begin update 1 to 2', 'update 1 to 2 kept', 'begin update 2 to -2', 'update 2 to -2 given back', 'deleted a'])
})

it('returns the error of a failed hook, and does not finish the hook', async () => {
  const refusal = newInvalid({ group: '', kind: 'Widget' }, 'a', [])
  await using test = openTestStore(widgets, { hooks: () => ({ beginCreate: () => Promise.reject(refusal) }) })
  await expect(test.store.create(context, createWidget('a'), real)).rejects.toBe(refusal)
})

it('calls check before a name is generated and before versions are compared', async () => {
  const refusal = newInvalid({ group: '', kind: 'Widget' }, 'a', [])
  const checked: unknown[] = []
  let isRefused = false
  const hooks: StoreHooks<Widget> = {
    check(_context, object, old) {
      checked.push([object.metadata.name, object.metadata.uid, old?.spec?.size])
      if (isRefused) throw refusal
    },
  }
  await using test = openTestStore(widgets, { hooks: () => hooks })
  await test.store.create(context, createWidget('a'), real)
  isRefused = true
  await expect(test.store.create(context, { metadata: { generateName: 'b-' } }, real)).rejects.toBe(refusal)
  const outdated = { ...createWidget('a', 2), metadata: { name: 'a', resourceVersion: '1' } }
  await expect(test.store.update(context, 'a', { change: put(outdated), ...real })).rejects.toBe(refusal)
  expect(checked).toEqual([
    ['a', undefined, undefined],
    [undefined, undefined, undefined],
    ['a', undefined, 1],
  ])
})

it('runs no begin hook for subresources, but runs afterDelete if a subresource removes the last finalizer', async () => {
  const { calls, hooks } = createRecordingHooks()
  await using test = openTestStore(widgets, { hooks: () => hooks })
  await test.store.create(context, { metadata: { name: 'a', finalizers: ['example.com/hold'] } }, real)
  await test.store.delete(context, 'a', now)
  expect(calls.splice(0)).toEqual(['begin create', 'create kept'])
  const status = test.paths.get('widgets/status') as typeof test.store
  await status.update(context, 'a', { change: put({ metadata: { name: 'a' } }), ...real })
  expect(calls).toEqual(['deleted a'])
})

it('releases allocations if a concurrent write came first, and runs the hook again', async () => {
  const { calls, hooks } = createRecordingHooks()
  await using test = openTestStore(widgets, { hooks: () => hooks })
  await test.store.create(context, createWidget('a'), real)
  calls.length = 0
  let raced = false
  const race: Change = {
    kind: 'edit',
    edit: async () => {
      if (!raced) {
        raced = true
        await test.store.update(context, 'a', { change: put(createWidget('a', 5)), ...real })
      }
      return createWidget('a', 7)
    },
  }
  await test.store.update(context, 'a', { change: race, ...real })
  expect(calls).toEqual([
    'begin update 1 to 5',
    'update 1 to 5 kept',
    'begin update 1 to 7',
    'update 1 to 7 given back',
    'begin update 5 to 7',
    'update 5 to 7 kept',
  ])
})

it('finishes no hook if the outcome of the write is unknown', async () => {
  const { calls, hooks } = createRecordingHooks()
  const decorateStorage: StorageDecorator = (request) => ({
    ...createUndecoratedStorage(request),
    create: () => Promise.reject(new Error('the disk disappeared')),
  })
  await using test = openTestStore(widgets, { decorator: decorateStorage, hooks: () => hooks })
  await expect(test.store.create(context, createWidget('a'), real)).rejects.toThrow('the disk disappeared')
  expect(calls).toEqual(['begin create'])
})
