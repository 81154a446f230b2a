import { afterEach, beforeEach, expect, it } from 'vitest'
import { createDefinition, openControllers, TestInstances } from './controllers.fixture.ts'
import type { TestControllers } from './controllers.fixture.ts'

const name = 'things.example.com'
let test: TestControllers
let instances: TestInstances
beforeEach(async () => {
  test = await openControllers()
  instances = new TestInstances()
  test.resources.objects.set(name, instances)
  await test.definitions.create('', createDefinition(name))
  await test.condition(name, 'Established', 'True')
})
afterEach(async () => {
  await test[Symbol.asyncDispose]()
})
const waitUntilGone = () => test.until(name, (definition) => definition === undefined)

it('deletes all instances before the definition', async () => {
  instances.counts.set('a', 2).set('b', 1)
  await test.definitions.delete('', name)
  await waitUntilGone()
  expect([instances.counts.size, instances.deletions, test.errors]).toEqual([0, 2, []])
  await test.until(name, () => !test.resources.served.has(name))
  expect(test.resources.calls).toEqual([`+${name}`, `-${name}`])
})

it('deletes a definition that was never established', async () => {
  await test.definitions.create('', createDefinition('others.example.com', { kind: 'Thing' }))
  await test.condition('others.example.com', 'NamesAccepted', 'False')
  await test.definitions.delete('', 'others.example.com')
  await test.until('others.example.com', (definition) => definition === undefined)
})

it('deletes the instances of a definition whose names were accepted, but which was never established', async () => {
  await using slow = await openControllers({ establishDelayMs: 5000 })
  slow.resources.objects.set(name, instances)
  await slow.definitions.create('', createDefinition(name))
  await slow.condition(name, 'NamesAccepted', 'True')
  instances.counts.set('a', 1)
  await slow.definitions.delete('', name)
  await slow.until(name, (definition) => definition === undefined)
  expect([instances.counts.size, instances.deletions, slow.errors]).toEqual([0, 1, []])
})

it('waits for instances with finalizers, and continues after a restart', async () => {
  instances.counts.set('a', 1)
  instances.held.add('a')
  await test.definitions.delete('', name)
  expect(await test.until(name, (found) => found?.status?.conditions?.[2]?.reason === 'InstanceDeletionInProgress')).toMatchObject({
    metadata: { finalizers: ['customresourcecleanup.apiextensions.k8s.io'] },
  })
  await test.until(name, () => instances.deletions === 1)
  await test.restart()
  await test.until(name, () => instances.deletions === 2)
  instances.drop('a')
  await waitUntilGone()
})

it('reports instances that remain after a minute, and tries again', async () => {
  instances.counts.set('a', 1)
  instances.held.add('a')
  await test.definitions.delete('', name)
  await test.until(name, () => instances.deletions === 1)
  await test.clock.pass(60_000)
  await test.until(name, (found) => found?.status?.conditions?.[2]?.reason === 'InstanceDeletionCheck')
  expect(await test.condition(name, 'Terminating', 'True')).toBe(
    'InstanceDeletionCheck: could not confirm zero CustomResources remaining: context deadline exceeded',
  )
  instances.held.clear()
  await test.until(name, () => test.errors.length === 1)
  await test.clock.pass(5)
  await waitUntilGone()
})

it('reports failed deletions', async () => {
  instances.counts.set('a', 1).set('b', 1)
  instances.failure = 'no disk'
  await test.definitions.delete('', name)
  await test.until(name, (found) => found?.status?.conditions?.[2]?.reason === 'InstanceDeletionFailed')
  expect(await test.condition(name, 'Terminating', 'True')).toBe('InstanceDeletionFailed: could not issue all deletes: no disk')
  instances.failure = undefined
  await test.until(name, () => test.errors.length === 1)
  await test.clock.pass(5)
  await waitUntilGone()
})

it('establishes a definition that is created again', async () => {
  await test.definitions.delete('', name)
  await waitUntilGone()
  await test.definitions.create('', createDefinition(name))
  await test.condition(name, 'Established', 'True')
  await test.until(name, () => test.resources.calls.length === 3)
  expect(test.resources.calls).toEqual([`+${name}`, `-${name}`, `+${name}`])
})
