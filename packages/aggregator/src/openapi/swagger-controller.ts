import { compareUtf8 } from '@keelson/apimachinery'
import type { Clock } from '@keelson/apimachinery'
import { readRemoteSwagger } from '@keelson/http-installer'
import type { OpenApiRegistry, RemoteSwagger } from '@keelson/http-installer'
import { WorkQueue } from '@keelson/loopback'
import type { WorkQueueMetrics } from '@keelson/loopback'
import type { OutboundClient } from '@keelson/outbound'
import type { ApiServiceIndex, ApiServiceRecord } from '../apiservices/api-service-index.ts'

export interface SwaggerControllerOptions {
  readonly index: Pick<ApiServiceIndex, 'get' | 'values' | 'subscribe'>
  readonly openApi: Pick<OpenApiRegistry, 'setRemoteSwaggers'>
  /** Returns the client for the server of an APIService. */
  readonly findClient: (name: string) => Pick<OutboundClient, 'request'> | undefined
  readonly clock: Clock
  readonly queueMetrics: WorkQueueMetrics
  readonly onError: (error: unknown) => void
}

const requestTimeoutMs = 60_000
/** Maximum size of a document. That of kube-apiserver, with all built-in groups, has 4 MB. */
const maxBytes = 8 * 2 ** 20
/** Maximum number of characters that are kept of the documents of all servers. */
const maxKept = 16 * 2 ** 20
/** Time in milliseconds before the first read of a document. */
const firstReadMs = 1000
/** Time between two reads, and after a failure. */
const refreshMs = 60_000
const longestRetry = 3_600_000

interface ReadDocument {
  readonly uid: string
  readonly etag: string | undefined
  readonly swagger: RemoteSwagger
}

/** Reads the OpenAPI v2 documents of other servers, and merges them into that of this server. A document that was read is kept while its server fails. */
export class SwaggerController implements AsyncDisposable {
  readonly #options: SwaggerControllerOptions
  readonly #queue: WorkQueue
  readonly #documents = new Map<string, ReadDocument>()

  constructor(options: SwaggerControllerOptions) {
    const { index, clock, queueMetrics, onError } = (this.#options = options)
    this.#queue = new WorkQueue({
      name: 'open_api_aggregation_controller',
      workers: 1,
      clock,
      metrics: queueMetrics,
      process: (name) => this.#sync(name),
      onError: (_name, error) => onError(error),
      firstRetry: refreshMs,
      longestRetry,
    })
    for (const record of index.values()) this.#readLater(record)
    index.subscribe(({ name, record, old }) => {
      if (record?.service === undefined || record.uid !== old?.uid) this.#remove(name)
      if (record !== undefined && (record.available?.status !== old?.available?.status || record.uid !== old?.uid)) this.#readLater(record)
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#queue[Symbol.asyncDispose]()
  }

  #readLater({ name, service }: ApiServiceRecord): void {
    if (service !== undefined) this.#queue.addAfter(name, firstReadMs)
  }

  async #sync(name: string): Promise<void> {
    const { index, findClient } = this.#options
    const record = index.get(name)
    if (record?.service === undefined) return
    const old = this.#documents.get(name)
    const answer = await findClient(name)?.request({
      path: '/openapi/v2',
      headers: {
        'X-Remote-User': 'system:aggregator',
        accept: 'application/json',
        ...(old?.etag !== undefined && { 'if-none-match': old.etag }),
      },
      timeoutMs: requestTimeoutMs,
      maxBytes,
    })
    if (answer === undefined) return
    if (answer.failed) throw answer.error
    // A server without a document is not asked again until it changes, as in kube-aggregator.
    if (answer.status === 404) return
    if (answer.status !== 304) {
      if (answer.status !== 200) throw new Error(`OpenAPI v2 of ${name}: status ${answer.status}`)
      const { group, version, uid } = record
      const swagger = await readRemoteSwagger(answer.body, `/apis/${group}/${version}/`)
      if (index.get(name)?.uid !== uid) return
      this.#put(name, { uid, etag: answer.headers['etag'], swagger })
    }
    this.#queue.addAfter(name, refreshMs)
  }

  #put(name: string, document: ReadDocument): void {
    const old = this.#documents.get(name)
    let kept = document.swagger.size
    for (const [other, { swagger }] of this.#documents) if (other !== name) kept += swagger.size
    if (kept > maxKept) throw new Error(`OpenAPI v2 of ${name}: the documents of all servers are larger than ${maxKept} characters`)
    this.#documents.set(name, document)
    if (old?.swagger.hash !== document.swagger.hash) this.#publish()
  }

  #remove(name: string): void {
    if (this.#documents.delete(name)) this.#publish()
  }

  /** Merges the documents in the order of their priorities. */
  #publish(): void {
    const { index, openApi } = this.#options
    const records = [...this.#documents.keys()].flatMap((name) => index.get(name) ?? [])
    const groupPriorities = new Map<string, number>()
    for (const { group, groupPriority } of records)
      groupPriorities.set(group, Math.max(groupPriority, groupPriorities.get(group) ?? groupPriority))
    const sorted = records.toSorted((a, b) => groupPriorities.get(b.group)! - groupPriorities.get(a.group)! || compareUtf8(a.name, b.name))
    openApi.setRemoteSwaggers(sorted.map(({ name }) => this.#documents.get(name)!.swagger))
  }
}
