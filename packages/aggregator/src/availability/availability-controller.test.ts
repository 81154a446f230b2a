import type { APIServiceCondition } from '@keelson/api/apiregistration/v1'
import { settle } from '@keelson/apimachinery/testing'
import { expect, it, vi } from 'vitest'
import { createApiService, openApiServices, remote } from '../api-services.fixture.ts'
import type { TestApiServices } from '../api-services.fixture.ts'
import type { ApiServiceRecord } from '../apiservices/api-service-index.ts'
import type { Availability } from '../apiservices/conditions.ts'
import { AvailabilityController } from './availability-controller.ts'
import type { ServiceCheck } from './availability-controller.ts'
import { createAvailabilityMetrics } from './availability-metrics.ts'

const name = 'v1.a.example.com'
const passed: ServiceCheck = { availability: { status: 'True', reason: 'Passed', message: 'all checks passed' }, isRepeated: false }
const missing: ServiceCheck = { availability: { status: 'False', reason: 'ServiceNotFound', message: 'absent' }, isRepeated: false }
const failing: ServiceCheck = { availability: { status: 'False', reason: 'FailedDiscoveryCheck', message: 'no answer' }, isRepeated: true }
const waitOptions = { timeout: 20_000 }

interface TestController extends AsyncDisposable {
  readonly controller: AvailabilityController
  readonly changes: [string, Availability][]
  readonly errors: string[]
}

function startController(
  { index, resource, clock, metrics, queueMetrics }: TestApiServices,
  checkService: (record: ApiServiceRecord) => Promise<ServiceCheck>,
): TestController {
  const changes: [string, Availability][] = []
  const errors: string[] = []
  const controller = new AvailabilityController({
    resource,
    index,
    checkService,
    clock,
    metrics: createAvailabilityMetrics(metrics),
    queueMetrics,
    onChange: (changed, availability) => changes.push([changed, availability]),
    onError: (queue, error) => errors.push(`${queue}: ${(error as Error).message}`),
  })
  return { controller, changes, errors, [Symbol.asyncDispose]: () => controller[Symbol.asyncDispose]() }
}

async function readCondition({ resource }: TestApiServices): Promise<APIServiceCondition | undefined> {
  return (await resource.get('', name, { resourceVersion: '' }))?.status?.conditions?.[0]
}

async function waitForReason(test: TestApiServices, reason: string): Promise<APIServiceCondition> {
  await vi.waitFor(async () => {
    expect((await readCondition(test))?.reason).toBe(reason)
    // The controller reads the condition from the index, which follows the store.
    expect(test.index.get(name)?.available?.reason).toBe(reason)
  }, waitOptions)
  await settle()
  return (await readCondition(test))!
}

it('makes an APIService available without a check when its service is removed', async () => {
  await using test = await openApiServices(createApiService(name, remote))
  await using started = startController(test, async () => missing)
  await waitForReason(test, 'ServiceNotFound')
  const { insecureSkipTLSVerify: _skip, service: _service, ...local } = createApiService(name, remote).spec!
  await test.resource.update('', name, (apiService) => ({ ...apiService, spec: local }))
  const condition = await waitForReason(test, 'Local')
  expect(condition).toMatchObject({ type: 'Available', status: 'True', message: 'Local APIServices are always available' })
  expect(started.changes.map(([, { reason }]) => reason)).toEqual(['ServiceNotFound', 'Local'])
})

it('checks a service every 30 seconds, and changes the time of the condition only with its status', async () => {
  await using test = await openApiServices(createApiService(name, remote))
  let result = missing
  let checks = 0
  await using started = startController(test, async () => {
    checks++
    return result
  })
  const first = await waitForReason(test, 'ServiceNotFound')
  const before = checks
  await test.clock.pass(29_999)
  expect(checks).toBe(before)
  result = { ...missing, availability: { ...missing.availability, reason: 'ServicePortError' } }
  await test.clock.pass(1)
  const second = await waitForReason(test, 'ServicePortError')
  expect(second.lastTransitionTime).toBe(first.lastTransitionTime)
  result = passed
  await test.clock.pass(30_000)
  const third = await waitForReason(test, 'Passed')
  expect(Date.parse(third.lastTransitionTime!) - Date.parse(first.lastTransitionTime!)).toBe(60_000)
  const revision = test.index.get(name)!.revision
  await test.clock.pass(30_000)
  // A check with the same result writes nothing.
  expect(test.index.get(name)!.revision).toBe(revision)
  expect(started.errors).toEqual([])
})

it('repeats the check of a service that does not answer with backoff of at most 30 seconds', async () => {
  await using test = await openApiServices(createApiService(name, remote))
  let result = failing
  const checkedAt: number[] = []
  await using started = startController(test, async () => {
    checkedAt.push(test.clock.now())
    return result
  })
  await waitForReason(test, 'FailedDiscoveryCheck')
  const repeated = checkedAt.length
  await test.clock.pass(29_000)
  const delays = checkedAt.slice(repeated).map((time, i) => time - checkedAt[repeated + i - 1]!)
  expect(delays.length).toBeGreaterThan(8)
  for (const [i, delay] of delays.entries()) if (i > 0) expect(delay).toBe(delays[i - 1]! * 2)

  await test.clock.pass(120_000)
  const later = checkedAt.slice(-3)
  expect(later[2]! - later[1]!).toBeLessThanOrEqual(30_000)
  result = passed
  await test.clock.pass(30_000)
  await waitForReason(test, 'Passed')
  const settled = checkedAt.length
  await test.clock.pass(29_000)
  expect(checkedAt.length - settled).toBeLessThanOrEqual(1)
  expect(started.errors).toEqual([])
})

it('counts and shows unavailable APIServices in metrics', async () => {
  await using test = await openApiServices(createApiService(name, remote))
  let result = passed
  await using _started = startController(test, async () => result)
  await waitForReason(test, 'Passed')
  expect(test.metrics.text()).toContain(`aggregator_unavailable_apiservice{name="${name}"} 0`)
  result = missing
  await test.clock.pass(30_000)
  await waitForReason(test, 'ServiceNotFound')
  const page = test.metrics.text()
  expect(page).toContain(`aggregator_unavailable_apiservice{name="${name}"} 1`)
  expect(page).toContain(`aggregator_unavailable_apiservice_total{name="${name}",reason="ServiceNotFound"} 1`)
  await test.resource.delete('', name)
  await vi.waitFor(() => expect(test.metrics.text()).not.toContain(`aggregator_unavailable_apiservice{name="${name}"}`), waitOptions)
})

it('drops the result of a check if the APIService got another server meanwhile', async () => {
  await using test = await openApiServices(createApiService(name, remote))
  const ports: number[] = []
  const first = Promise.withResolvers<ServiceCheck>()
  await using started = startController(test, (record) => {
    ports.push(record.service!.port)
    return ports.length === 1 ? first.promise : Promise.resolve(passed)
  })
  await vi.waitFor(() => expect(ports).toEqual([443]), waitOptions)
  await test.resource.update('', name, (apiService) => {
    apiService.spec!.service!.port = 8443
    return apiService
  })
  await vi.waitFor(() => expect(test.index.get(name)?.service?.port).toBe(8443), waitOptions)
  first.resolve(missing)
  await waitForReason(test, 'Passed')
  expect(ports.slice(0, 2)).toEqual([443, 8443])
  expect(started.changes.map(([, { reason }]) => reason)).toEqual(['Passed'])
})

it('reports a check that throws, and repeats it', async () => {
  await using test = await openApiServices(createApiService(name, remote))
  let isBroken = true
  await using started = startController(test, () => (isBroken ? Promise.reject(new Error('broken')) : Promise.resolve(passed)))
  await vi.waitFor(() => expect(started.errors).toContain('RemoteAvailabilityController: broken'), waitOptions)
  isBroken = false
  await test.clock.pass(30_000)
  await waitForReason(test, 'Passed')
})
