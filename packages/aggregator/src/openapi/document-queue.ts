import type { Clock } from '@keelson/apimachinery'
import { WorkQueue } from '@keelson/loopback'
import type { WorkQueueMetrics } from '@keelson/loopback'
import type { OutboundAnswer, OutboundClient } from '@keelson/outbound'
import type { ApiServiceIndex, ApiServiceRecord } from '../apiservices/api-service-index.ts'

/** The servers whose documents are read. */
export interface DocumentServers {
  readonly index: Pick<ApiServiceIndex, 'get' | 'listRecords' | 'subscribe'>
  /** Returns the client for the server of an APIService. */
  readonly findClient: (name: string) => Pick<OutboundClient, 'request'> | undefined
  readonly clock: Clock
  readonly queueMetrics: WorkQueueMetrics
  readonly onError: (error: unknown) => void
}

export type DocumentAnswer = Extract<OutboundAnswer, { readonly failed: false }>

export interface DocumentQueueOptions extends DocumentServers {
  /** Name of the queue in metrics. */
  readonly name: string
  readonly path: string
  /** Maximum size of a document. */
  readonly maxBytes: number
  /** Returns the headers of a request, without those of the user. */
  readonly createHeaders?: (name: string) => Readonly<Record<string, string>>
  /** Uses an answer of any status. Returns whether the document is read again after a minute. If it throws, the document is read again later. */
  readonly accept: (record: ApiServiceRecord, answer: DocumentAnswer) => boolean | Promise<boolean>
}

const requestTimeoutMs = 60_000
/** Time in milliseconds before a document is read after a change of its APIService. */
const firstReadMs = 1000
/** Time between two reads, and after the first failure. */
const refreshMs = 60_000
const longestRetry = 3_600_000

/**
 * Reads one document of each server behind an APIService: when the APIService is added, replaced, or changes its availability, and every minute.
 * After a failure it waits longer each time, up to an hour.
 */
export class DocumentQueue implements AsyncDisposable {
  readonly #options: DocumentQueueOptions
  readonly #queue: WorkQueue

  constructor(options: DocumentQueueOptions) {
    const { name: queue, index, clock, queueMetrics, onError } = (this.#options = options)
    this.#queue = new WorkQueue({
      name: queue,
      workers: 1,
      clock,
      metrics: queueMetrics,
      process: (name) => this.#read(name),
      onError: (_name, error) => onError(error),
      firstRetry: refreshMs,
      longestRetry,
    })
    for (const record of index.listRecords()) this.#readLater(record)
    index.subscribe(({ record, old }) => {
      if (record === undefined) return
      if (record.available?.status !== old?.available?.status || record.uid !== old?.uid) this.#readLater(record)
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#queue[Symbol.asyncDispose]()
  }

  #readLater({ name, service }: ApiServiceRecord): void {
    if (service !== undefined) this.#queue.addAfter(name, firstReadMs)
  }

  async #read(name: string): Promise<void> {
    const { index, findClient, path, maxBytes, createHeaders, accept } = this.#options
    const record = index.get(name)
    if (record?.service === undefined) return
    const headers = { 'X-Remote-User': 'system:aggregator', ...createHeaders?.(name) }
    const answer = await findClient(name)?.request({ path, headers, timeoutMs: requestTimeoutMs, maxBytes })
    // The APIService was replaced during the request. It is in the queue again.
    if (answer === undefined || index.get(name)?.uid !== record.uid) return
    if (answer.failed) throw answer.error
    if (await accept(record, answer)) this.#queue.addAfter(name, refreshMs)
  }
}
