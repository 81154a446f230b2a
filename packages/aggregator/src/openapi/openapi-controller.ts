import type { Clock } from '@keelson/apimachinery'
import type { OpenApiRegistry } from '@keelson/http-installer'
import type { Route } from '@keelson/exchange'
import { WorkQueue } from '@keelson/loopback'
import type { WorkQueueMetrics } from '@keelson/loopback'
import type { OutboundClient } from '@keelson/outbound'
import type { ApiServiceIndex, ApiServiceRecord } from '../apiservices/api-service-index.ts'

export interface OpenApiControllerOptions {
  readonly index: ApiServiceIndex
  readonly openApi: OpenApiRegistry
  /** Returns the client for the server of an APIService. */
  readonly findClient: (name: string) => OutboundClient | undefined
  /** Returns the route of the server of a group version. */
  readonly routeOf: (group: string, version: string) => Route | undefined
  readonly clock: Clock
  readonly queueMetrics: WorkQueueMetrics
  readonly onError: (error: unknown) => void
}

const requestTimeoutMs = 60_000
/** Maximum size of the index of documents. */
const maxBytes = 2 ** 20
/** Time in milliseconds before the first read of an index, and after a failure. */
const firstReadMs = 1000
const refreshMs = 60_000
const longestRetry = 3_600_000
const maxUrlLength = 2048

/**
 * Reads the indexes of the OpenAPI v3 documents of other servers, and lists the documents of their group versions. The documents themselves are
 * not read: requests for them are forwarded.
 */
export class OpenApiController implements AsyncDisposable {
  readonly #options: OpenApiControllerOptions
  readonly #queue: WorkQueue
  /** Functions that remove the documents of an APIService. */
  readonly #removals = new Map<string, { readonly url: string; readonly remove: () => void }>()

  constructor(options: OpenApiControllerOptions) {
    const { index, clock, queueMetrics, onError } = (this.#options = options)
    this.#queue = new WorkQueue({
      name: 'open_api_v3_aggregation_controller',
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
      if (record?.service === undefined) this.#remove(name)
      else if (record.available?.status !== old?.available?.status || record.uid !== old?.uid) this.#readLater(record)
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
    const answer = await findClient(name)?.request({
      path: '/openapi/v3',
      headers: { 'X-Remote-User': 'system:aggregator' },
      timeoutMs: requestTimeoutMs,
      maxBytes,
    })
    if (answer === undefined || index.get(name)?.uid !== record.uid) return
    if (answer.failed) throw answer.error
    if (answer.status !== 200 && answer.status !== 404) throw new Error(`OpenAPI of ${name}: status ${answer.status}`)
    this.#put(record, answer.status === 404 ? undefined : findUrl(answer.body, record))
    this.#queue.addAfter(name, refreshMs)
  }

  #put({ name, group, version }: ApiServiceRecord, url: string | undefined): void {
    if (this.#removals.get(name)?.url === url) return
    this.#remove(name)
    const { openApi, routeOf } = this.#options
    const route = routeOf(group, version)
    if (url === undefined || route === undefined) return
    this.#removals.set(name, { url, remove: openApi.addRemote(formatPath(group, version), { url, route }) })
  }

  #remove(name: string): void {
    this.#removals.get(name)?.remove()
    this.#removals.delete(name)
  }
}

function formatPath(group: string, version: string): string {
  return group === '' ? `api/${version}` : `apis/${group}/${version}`
}

/** Returns the URL of the document of an APIService. Documents of other group versions are not listed, because their servers list them. */
function findUrl(index: Buffer, { group, version }: ApiServiceRecord): string | undefined {
  const { paths } = JSON.parse(index.toString('utf8')) as {
    readonly paths?: Readonly<Record<string, { readonly serverRelativeURL?: unknown }>>
  }
  const path = formatPath(group, version)
  const url = paths !== undefined && paths !== null && Object.hasOwn(paths, path) ? paths[path]?.serverRelativeURL : undefined
  if (typeof url !== 'string' || url.length > maxUrlLength) return undefined
  // A URL elsewhere would send clients to another path or server.
  return url.startsWith(`/openapi/v3/${path}?`) || url === `/openapi/v3/${path}` ? url : undefined
}
