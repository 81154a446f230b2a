import type { APIService } from '@keelson/api/apiregistration/v1'
import { settle } from '@keelson/apimachinery/testing'
import { DiscoveryRegistry } from '@keelson/http-installer'
import type { LoopbackResource } from '@keelson/loopback'
import { expect, it, vi } from 'vitest'
import { createApiService, openApiServices, remote } from '../api-services.fixture.ts'
import type { TestApiServices } from '../api-services.fixture.ts'
import { AutoRegistration } from './auto-registration.ts'

const managed = 'kube-aggregator.kubernetes.io/automanaged'
const waitOptions = { timeout: 20_000 }

interface TestRegistration extends AsyncDisposable {
  readonly registration: AutoRegistration
  readonly errors: string[]
}

function startRegistration(
  { index, resource, clock, queueMetrics }: TestApiServices,
  discovery: DiscoveryRegistry,
  changes: Partial<LoopbackResource<APIService>> = {},
): TestRegistration {
  const errors: string[] = []
  const registration = new AutoRegistration({
    resource: { ...bindVerbs(resource), ...changes },
    index,
    discovery,
    clock,
    metrics: queueMetrics,
    onError: (error) => errors.push((error as Error).message),
  })
  return { registration, errors, [Symbol.asyncDispose]: () => registration[Symbol.asyncDispose]() }
}

/** Returns the verbs of a resource as functions that a test can replace. */
function bindVerbs(resource: LoopbackResource<APIService>): LoopbackResource<APIService> {
  const bound = Object.create(resource) as LoopbackResource<APIService>
  return Object.assign(bound, {
    create: resource.create.bind(resource),
    update: resource.update.bind(resource),
    delete: resource.delete.bind(resource),
  })
}

const addGroup = (discovery: DiscoveryRegistry, name: string, ...versions: string[]): (() => void) =>
  discovery.addGroup({ name, priority: 1000, versions: versions.map((version) => ({ version, resources: [], isCustom: true })) })

async function read({ resource }: TestApiServices, name: string): Promise<unknown[] | undefined> {
  const stored = await resource.get('', name, { resourceVersion: '' })
  return stored && [stored.metadata.labels?.[managed], stored.spec?.groupPriorityMinimum, stored.spec?.versionPriority]
}

it('creates the APIServices of built-in groups once, and those of custom resources whenever they are missing', async () => {
  await using test = await openApiServices()
  const discovery = new DiscoveryRegistry()
  addGroup(discovery, 'apps', 'v1')
  addGroup(discovery, 'apiregistration.k8s.io', 'v1')
  addGroup(discovery, 'ropes.example.com', 'v1', 'v1beta1')
  await using started = startRegistration(test, discovery)
  await started.registration.completed
  expect(await read(test, 'v1.apps')).toEqual(['onstart', 17_800, 15])
  expect(await read(test, 'v1.ropes.example.com')).toEqual(['true', 1000, 100])
  expect(await read(test, 'v1beta1.ropes.example.com')).toEqual(['true', 1000, 100])
  expect(await read(test, 'v1.apiregistration.k8s.io')).toBeUndefined()

  for (const name of ['v1.apps', 'v1.ropes.example.com']) await test.resource.delete('', name)
  await vi.waitFor(async () => expect(await read(test, 'v1.ropes.example.com')).toBeDefined(), waitOptions)
  expect(await read(test, 'v1.apps')).toBeUndefined()
  expect(started.errors).toEqual([])
})

it('restores the spec of custom resources at any time, and that of built-in groups at the start', async () => {
  await using test = await openApiServices(
    createApiService('v1.apps', { groupPriorityMinimum: 5 }, { [managed]: 'onstart' }),
    createApiService('v1.batch', { groupPriorityMinimum: 5 }),
  )
  const discovery = new DiscoveryRegistry()
  addGroup(discovery, 'apps', 'v1')
  addGroup(discovery, 'batch', 'v1')
  addGroup(discovery, 'ropes.example.com', 'v1')
  await using started = startRegistration(test, discovery)
  await started.registration.completed
  await vi.waitFor(async () => expect(await read(test, 'v1.apps')).toEqual(['onstart', 17_800, 15]), waitOptions)
  // Without the label, the object belongs to an administrator.
  expect(await read(test, 'v1.batch')).toEqual([undefined, 5, 10])

  const setPriority = (name: string): Promise<unknown> =>
    test.resource.update('', name, (apiService) => ({ ...apiService, spec: { ...apiService.spec!, groupPriorityMinimum: 7 } }))
  await setPriority('v1.apps')
  await setPriority('v1.ropes.example.com')
  await vi.waitFor(async () => expect(await read(test, 'v1.ropes.example.com')).toEqual(['true', 1000, 100]), waitOptions)
  expect(await read(test, 'v1.apps')).toEqual(['onstart', 7, 15])
})

it('deletes the APIServices of removed group versions, and not those of administrators', async () => {
  await using test = await openApiServices(
    createApiService('v1beta1.batch', {}, { [managed]: 'onstart' }),
    createApiService('v1.gone.example.com', {}, { [managed]: 'true' }),
    createApiService('v1.mine.example.com', remote),
  )
  const discovery = new DiscoveryRegistry()
  addGroup(discovery, 'batch', 'v1')
  const removeRopes = addGroup(discovery, 'ropes.example.com', 'v1', 'v2')
  await using started = startRegistration(test, discovery)
  await started.registration.completed
  await vi.waitFor(async () => {
    expect(await read(test, 'v1beta1.batch')).toBeUndefined()
    expect(await read(test, 'v1.gone.example.com')).toBeUndefined()
  }, waitOptions)
  addGroup(discovery, 'ropes.example.com', 'v2')
  await vi.waitFor(async () => expect(await read(test, 'v1.ropes.example.com')).toBeUndefined(), waitOptions)
  expect(await read(test, 'v2.ropes.example.com')).toBeDefined()
  removeRopes()
  discovery.removeGroup('ropes.example.com')
  await vi.waitFor(async () => expect(await read(test, 'v2.ropes.example.com')).toBeUndefined(), waitOptions)
  expect(await read(test, 'v1.mine.example.com')).toEqual([undefined, 100, 10])
})

it('tries a failed write again with backoff', async () => {
  await using test = await openApiServices()
  const discovery = new DiscoveryRegistry()
  let attempts = 0
  let isBroken = true
  const create = (namespace: string, apiService: APIService): ReturnType<LoopbackResource<APIService>['create']> => {
    attempts++
    return isBroken ? Promise.reject(new Error('the store is full')) : test.resource.create(namespace, apiService)
  }
  addGroup(discovery, 'ropes.example.com', 'v1')
  await using started = startRegistration(test, discovery, { create })
  await settle()
  const attemptsAfter: number[] = []
  for (const delay of [0, 4, 1, 9, 1, 19, 1]) {
    await test.clock.pass(delay)
    attemptsAfter.push(attempts)
  }
  expect(attemptsAfter).toEqual([1, 1, 2, 2, 3, 3, 4])
  expect(new Set(started.errors)).toEqual(new Set(['the store is full']))
  isBroken = false
  await test.clock.pass(40)
  await started.registration.completed
  expect(await read(test, 'v1.ropes.example.com')).toBeDefined()
})

it('lists the APIServices of the start that are not available yet', async () => {
  await using test = await openApiServices(createApiService('v1.batch', remote))
  const discovery = new DiscoveryRegistry()
  addGroup(discovery, 'batch', 'v1')
  addGroup(discovery, 'apps', 'v1')
  await using started = startRegistration(test, discovery)
  await started.registration.completed
  // A local APIService is available as soon as it exists.
  await vi.waitFor(() => expect(started.registration.pending).toEqual(['v1.batch']), waitOptions)
  await test.resource.update(
    '',
    'v1.batch',
    (apiService) => {
      const conditions = [{ type: 'Available', status: 'True', reason: 'Passed', message: '', lastTransitionTime: '2026-01-01T00:00:00Z' }]
      return { ...apiService, status: { conditions } }
    },
    { subresource: 'status' },
  )
  await vi.waitFor(() => expect(started.registration.pending).toEqual([]), waitOptions)
})
