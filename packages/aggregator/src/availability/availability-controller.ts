import type { APIService } from '@keelson/api/apiregistration/v1'
import { isApiError } from '@keelson/apimachinery'
import type { Clock } from '@keelson/apimachinery'
import { WorkQueue } from '@keelson/loopback'
import type { LoopbackResource, WorkQueueMetrics } from '@keelson/loopback'
import type { ApiServiceIndex, ApiServiceRecord } from '../apiservices/api-service-index.ts'
import { localAvailability, setAvailable } from '../apiservices/conditions.ts'
import type { Availability } from '../apiservices/conditions.ts'
import type { AvailabilityMetrics } from './availability-metrics.ts'

/** The service of an APIService, and whether it answers. */
export interface ServiceCheck {
  readonly availability: Availability
  /** Whether the check is repeated with backoff. Otherwise a change of the service or its endpoints causes the next one. */
  readonly isRepeated: boolean
}

/** Thrown to process an APIService again later. */
class UnavailableError extends Error {
  override readonly name = 'UnavailableError'
}

export interface AvailabilityOptions {
  readonly resource: LoopbackResource<APIService>
  readonly index: ApiServiceIndex
  /** Checks the service of an APIService. */
  readonly checkService: (record: ApiServiceRecord) => Promise<ServiceCheck>
  readonly clock: Clock
  readonly metrics: AvailabilityMetrics
  readonly queueMetrics: WorkQueueMetrics
  /** Called after the condition of an APIService was changed. */
  readonly onChange: (name: string, availability: Availability) => void
  readonly onError: (controller: string, error: unknown) => void
}

/** Time in milliseconds between two checks of an APIService that did not change. */
const resyncMs = 30_000
const longestRetry = 30_000
const workers = 5

/**
 * Sets the condition Available: local APIServices are always available, others if their service answers. Each service is checked every 30
 * seconds, after changes of its objects, and with backoff while it fails.
 */
export class AvailabilityController implements AsyncDisposable {
  readonly #options: AvailabilityOptions
  readonly #local: WorkQueue
  readonly #remote: WorkQueue
  readonly #cancelResync: () => void

  constructor(options: AvailabilityOptions) {
    this.#options = options
    this.#local = this.#createQueue('LocalAvailabilityController', (name) => this.#syncLocal(name))
    this.#remote = this.#createQueue('RemoteAvailabilityController', (name) => this.#syncRemote(name))
    const { index, clock, metrics } = options
    index.subscribe(({ name, record }) => {
      if (record === undefined) metrics.forget(name)
      else this.check(record)
    })
    for (const record of index.listRecords()) this.check(record)
    let cancel = (): void => {}
    const checkAll = (): void => {
      for (const record of index.listRecords()) if (record.service !== undefined) this.#remote.add(record.name)
      cancel = clock.after(resyncMs, checkAll)
    }
    cancel = clock.after(resyncMs, checkAll)
    this.#cancelResync = () => cancel()
  }

  /** Checks an APIService soon. */
  check({ name, service }: ApiServiceRecord): void {
    if (service === undefined) this.#local.add(name)
    else this.#remote.add(name)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#cancelResync()
    await Promise.all([this.#local[Symbol.asyncDispose](), this.#remote[Symbol.asyncDispose]()])
  }

  #createQueue(name: string, sync: (name: string) => Promise<void>): WorkQueue {
    const { clock, queueMetrics, onError } = this.#options
    return new WorkQueue({
      name,
      workers,
      clock,
      metrics: queueMetrics,
      process: sync,
      onError: (_key, error) => {
        if (!(error instanceof UnavailableError)) onError(name, error)
      },
      longestRetry,
    })
  }

  async #syncLocal(name: string): Promise<void> {
    const record = this.#options.index.get(name)
    if (record === undefined || record.service !== undefined) return
    await this.#update(record, localAvailability)
  }

  async #syncRemote(name: string): Promise<void> {
    const { index, checkService } = this.#options
    const record = index.get(name)
    if (record === undefined || record.service === undefined) return
    const { availability, isRepeated } = await checkService(record)
    // Drops the result if the APIService got another server meanwhile. The index has added it to the queue again.
    if (!isSameServer(index.get(name), record)) return
    await this.#update(record, availability)
    if (isRepeated) throw new UnavailableError(availability.message)
  }

  async #update({ name, uid, available }: ApiServiceRecord, availability: Availability): Promise<void> {
    const { resource, clock, metrics, onChange } = this.#options
    const isAvailable = availability.status === 'True'
    metrics.observe(name, isAvailable)
    if (isSame(available, availability)) return
    try {
      await resource.update(
        '',
        name,
        (apiService) => {
          if (apiService.metadata.uid === uid) setAvailable(apiService, availability, clock.now())
          return apiService
        },
        { subresource: 'status' },
      )
    } catch (error) {
      if (isApiError(error, 'NotFound')) return
      throw error
    }
    onChange(name, availability)
    if (available?.status === 'True' && !isAvailable) metrics.countUnavailable(name, availability.reason)
  }
}

function isSame(a: Availability | undefined, b: Availability): boolean {
  return a?.status === b.status && a.reason === b.reason && a.message === b.message
}

/** Returns whether two records of an APIService have the same server and TLS settings. */
export function isSameServer(a: ApiServiceRecord | undefined, b: ApiServiceRecord): boolean {
  if (a?.service === undefined || b.service === undefined) return false
  const { namespace, name, port } = b.service
  return (
    a.uid === b.uid &&
    a.service.namespace === namespace &&
    a.service.name === name &&
    a.service.port === port &&
    a.caBundle === b.caBundle &&
    a.insecureSkipTLSVerify === b.insecureSkipTLSVerify
  )
}
