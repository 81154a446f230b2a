import type { APIService } from '@keelson/api/apiregistration/v1'
import { createMetricsRegistry } from '@keelson/apimachinery/metrics'
import type { MetricsRegistry } from '@keelson/apimachinery/metrics'
import { createManualClock } from '@keelson/apimachinery/testing'
import type { ManualClock } from '@keelson/apimachinery/testing'
import { createLoopbackClient, createWorkQueueMetrics } from '@keelson/loopback'
import type { LoopbackResource, WorkQueueMetrics } from '@keelson/loopback'
import type { OutboundAnswer, OutboundClient, OutboundRequest } from '@keelson/outbound'
import { openTestStore } from '@keelson/registry/testing'
import { apiregistrationGroup, apiServicesResource } from './apiservices/index.ts'
import { ApiServiceIndex } from './apiservices/api-service-index.ts'
import type { ApiServiceChange, ApiServiceRecord } from './apiservices/api-service-index.ts'

/** Stored APIServices, their index, and a clock that a test advances. */
export interface TestApiServices extends AsyncDisposable {
  readonly clock: ManualClock
  readonly resource: LoopbackResource<APIService>
  readonly index: ApiServiceIndex
  readonly metrics: MetricsRegistry
  readonly queueMetrics: WorkQueueMetrics
}

/** Opens a store with some APIServices. The index is synced. */
export async function openApiServices(...stored: readonly APIService[]): Promise<TestApiServices> {
  const clock = createManualClock()
  const store = openTestStore(apiregistrationGroup.resources[0]!, { now: clock.now })
  const client = createLoopbackClient({ now: clock.now })
  client.add({ group: apiServicesResource.group, version: 'v1' }, store.paths)
  const resource = client.resource<APIService>(apiServicesResource)!
  for (const apiService of stored) await resource.create('', apiService)
  const index = new ApiServiceIndex({
    clock,
    onError(error) {
      throw error
    },
  })
  index.follow(resource)
  await index.synced
  const metrics = createMetricsRegistry()
  return {
    clock,
    resource,
    index,
    metrics,
    queueMetrics: createWorkQueueMetrics(metrics),
    async [Symbol.asyncDispose]() {
      await index[Symbol.asyncDispose]()
      await store[Symbol.asyncDispose]()
    },
  }
}

/** Returns an APIService by its name, such as "v1.example.com". */
export function createApiService(name: string, spec: Partial<APIService['spec']> = {}, labels: Record<string, string> = {}): APIService {
  const [version = '', ...group] = name.split('.')
  return {
    metadata: { name, labels },
    spec: { group: group.join('.'), version, groupPriorityMinimum: 100, versionPriority: 10, ...spec },
  }
}

/** The server of an APIService. */
export const remote: Partial<APIService['spec']> = {
  insecureSkipTLSVerify: true,
  service: { namespace: 'default', name: 'api', port: 443 },
}

/** An index whose records a test sets. */
export class TestIndex {
  readonly #records = new Map<string, ApiServiceRecord>()
  readonly #listeners: ((change: ApiServiceChange) => void)[] = []

  get(name: string): ApiServiceRecord | undefined {
    return this.#records.get(name)
  }

  listRecords(): Iterable<ApiServiceRecord> {
    return this.#records.values()
  }

  subscribe(listener: (change: ApiServiceChange) => void): void {
    this.#listeners.push(listener)
  }

  /** Adds or changes a record. */
  set(name: string, changes: Partial<ApiServiceRecord> = {}): void {
    const [version = '', ...group] = name.split('.')
    const old = this.#records.get(name)
    const created: ApiServiceRecord = {
      name,
      uid: name,
      revision: 1,
      group: group.join('.'),
      version,
      groupPriority: 100,
      versionPriority: 10,
      managed: '',
      service: { namespace: 'default', name: 'api', port: 443 },
      caBundle: '',
      insecureSkipTLSVerify: true,
      available: { status: 'True', reason: 'Passed', message: 'all checks passed' },
    }
    const record = { ...(old ?? created), ...changes }
    this.#records.set(name, record)
    for (const listener of this.#listeners) listener({ name, record, old })
  }

  delete(name: string): void {
    const old = this.#records.get(name)
    this.#records.delete(name)
    for (const listener of this.#listeners) listener({ name, record: undefined, old })
  }
}

/** What controllers of APIServices are opened with, without a store. */
export interface TestRemotes {
  readonly clock: ManualClock
  readonly index: TestIndex
  readonly servers: TestServers
  readonly queueMetrics: WorkQueueMetrics
  /** Messages of the errors that a controller has reported. */
  readonly errors: string[]
  readonly onError: (error: unknown) => void
}

/** Creates the index of some APIServices, whose servers answer with `respond`. */
export function createRemotes(respond: TestResponder, ...names: readonly string[]): TestRemotes {
  const index = new TestIndex()
  for (const name of names) index.set(name)
  const errors: string[] = []
  return {
    clock: createManualClock(),
    index,
    servers: new TestServers(respond),
    queueMetrics: createWorkQueueMetrics(createMetricsRegistry()),
    errors,
    onError: (error) => errors.push((error as Error).message),
  }
}

export type TestRequest = OutboundRequest & { readonly name: string }
/** Answers a request. An error stands for a request without an answer. */
export type TestResponder = (request: TestRequest) => Partial<Extract<OutboundAnswer, { failed: false }>> | Error | Promise<never>

/** The servers of all APIServices, whose answers a test sets. */
export class TestServers {
  readonly requests: TestRequest[] = []
  respond: TestResponder

  constructor(respond: TestResponder) {
    this.respond = respond
  }

  readonly findClient = (name: string): OutboundClient => ({
    request: async (request) => {
      const received = { ...request, name }
      this.requests.push(received)
      const answer = await this.respond(received)
      if (answer instanceof Error) return { failed: true, error: answer, message: answer.message } as OutboundAnswer
      return { failed: false, status: 200, headers: {}, body: Buffer.alloc(0), ...answer }
    },
    [Symbol.dispose]: () => {},
  })
}
