import type { APIResourceDiscovery } from '@keelson/api/apidiscovery/v2'
import type { Clock } from '@keelson/apimachinery'
import type { DiscoveryRegistry, RemoteVersion } from '@keelson/http-installer'
import { WorkQueue } from '@keelson/loopback'
import type { WorkQueueMetrics } from '@keelson/loopback'
import type { OutboundAnswer, OutboundClient, OutboundRequest } from '@keelson/outbound'
import type { ApiServiceIndex, ApiServiceRecord } from '../apiservices/api-service-index.ts'
import { checkerHeaders } from '../availability/check-service.ts'
import { findBuiltinPriorities, customVersionPriority } from '../registration/priorities.ts'
import { aggregatedTypes, isAggregated, readAggregated, readResourceList } from './read-discovery.ts'
import type { ReadVersion } from './read-discovery.ts'

export interface DiscoveryControllerOptions {
  readonly index: ApiServiceIndex
  readonly discovery: DiscoveryRegistry
  /** Returns the client for the server of an APIService. */
  readonly findClient: (name: string) => OutboundClient | undefined
  readonly clock: Clock
  readonly queueMetrics: WorkQueueMetrics
}

const requestTimeoutMs = 5000
/** Maximum size of a discovery document. Parsing more would block other requests. */
const maxBytes = 2 ** 20
/** Time in milliseconds between two reads of a document. It is also the longest time between retries. */
const refreshMs = 60_000
const firstRetry = 500

/** The discovery document of a server. Several APIServices may have the same server. */
interface ServerDocument {
  readonly versions: ReadonlyMap<string, ReadVersion>
  readonly etag: string | undefined
  /** Time before the request of the document. */
  readonly readAt: number
}

interface Entry {
  readonly record: ApiServiceRecord
  readonly version: RemoteVersion
  readonly resources: readonly APIResourceDiscovery[]
  readonly isCurrent: boolean
}

/** The resources of an APIService. Undefined if its server did not answer the last request for them. */
export interface RemoteResources {
  readonly record: ApiServiceRecord
  readonly resources: readonly APIResourceDiscovery[] | undefined
}

/**
 * Reads the discovery documents of other servers, and adds their group versions to aggregated discovery. A version whose server does not
 * answer is listed without resources, and as stale.
 */
export class DiscoveryController implements AsyncDisposable {
  readonly #options: DiscoveryControllerOptions
  readonly #queue: WorkQueue
  readonly #documents = new Map<string, ServerDocument>()
  /** Times from which documents are too old, by the name of the APIService. */
  readonly #outdated = new Map<string, number>()
  readonly #groups = new Map<string, Map<string, Entry>>()

  constructor(options: DiscoveryControllerOptions) {
    const { index, clock, queueMetrics } = (this.#options = options)
    this.#queue = new WorkQueue({
      name: 'discovery-manager',
      clock,
      metrics: queueMetrics,
      process: (name) => this.#sync(name),
      firstRetry,
      longestRetry: refreshMs,
    })
    index.subscribe(({ name, record, old }) => {
      if (record?.service === undefined && old?.service === undefined) return
      this.#forgetUnused()
      this.#enqueue(name)
    })
  }

  /** Reads the documents of all servers. Servers that fail are tried again later. */
  async readAll(): Promise<void> {
    const names = Array.from(this.#options.index.listRecords()).flatMap(({ name, service }) => (service === undefined ? [] : name))
    await Promise.all(
      names.map(async (name) => {
        try {
          this.#outdated.set(name, this.#options.clock.now())
          await this.#sync(name)
        } catch {
          this.#queue.add(name)
        }
      }),
    )
  }

  /** Returns the resources of all other servers. */
  *listRemoteResources(): Generator<RemoteResources> {
    for (const record of this.#options.index.listRecords()) {
      if (record.service === undefined) continue
      const { resources, isCurrent = false } = this.#groups.get(record.group)?.get(record.name) ?? {}
      yield { record, resources: isCurrent ? resources : undefined }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#queue[Symbol.asyncDispose]()
  }

  #enqueue(name: string): void {
    this.#outdated.set(name, this.#options.clock.now())
    this.#queue.add(name)
  }

  async #sync(name: string): Promise<void> {
    const record = this.#options.index.get(name)
    if (record?.service === undefined) return this.#remove(name)
    let entry: ReadVersion | undefined
    let problem: unknown
    try {
      entry = await this.#readEntry(record)
    } catch (error) {
      problem = error
    }
    // The APIService was changed during the read. It is in the queue again.
    if (this.#options.index.get(name)?.uid !== record.uid) return
    this.#put(record, entry, problem === undefined)
    if (problem !== undefined) throw problem as Error
    this.#outdated.set(name, this.#options.clock.now())
    this.#queue.addAfter(name, refreshMs)
  }

  /** Returns the entry of an APIService. Returns undefined if its server does not list it. Throws if the server does not answer. */
  async #readEntry(record: ApiServiceRecord): Promise<ReadVersion | undefined> {
    const { name, group, version } = record
    const key = formatServer(record)
    const knownDocument = this.#documents.get(key)
    if (knownDocument !== undefined && knownDocument.readAt > (this.#outdated.get(name) ?? Number.POSITIVE_INFINITY))
      return knownDocument.versions.get(name)
    const readAt = this.#options.clock.now()
    const answer = await this.#request(name, '/apis', {
      ...checkerHeaders,
      accept: aggregatedTypes,
      ...(knownDocument?.etag && { 'If-None-Match': knownDocument.etag }),
    })
    if (answer.status === 304 && knownDocument !== undefined) {
      this.#documents.set(key, { ...knownDocument, readAt })
      return knownDocument.versions.get(name)
    }
    if (answer.status === 503) throw new Error(`service ${key} returned non-success response code: 503`)
    if (answer.status === 200 && isAggregated(answer.headers['content-type'])) {
      const versions = await readAggregated(answer.body)
      this.#documents.set(key, { versions, etag: answer.headers.etag, readAt })
      return versions.get(name)
    }
    const path = group === '' ? `/api/${version}` : `/apis/${group}/${version}`
    const list = await this.#request(name, path, { 'X-Remote-User': checkerHeaders['X-Remote-User']!, accept: 'application/json' })
    if (list.status !== 200) throw new Error(`failed to download legacy discovery for ${path}: status ${list.status}`)
    return readResourceList(list.body, version)
  }

  async #request(
    name: string,
    path: string,
    headers: NonNullable<OutboundRequest['headers']>,
  ): Promise<Extract<OutboundAnswer, { readonly failed: false }>> {
    const answer = await this.#options.findClient(name)?.request({ path, headers, timeoutMs: requestTimeoutMs, maxBytes })
    if (answer === undefined || answer.failed) throw answer?.error ?? new Error(`APIService ${name} has no server`)
    return answer
  }

  #put(record: ApiServiceRecord, entry: ReadVersion | undefined, isCurrent: boolean): void {
    const { name, group, version, groupPriority, versionPriority } = record
    const { resources = [], json: listed = '' } = entry ?? {}
    const freshness = isCurrent ? 'Current' : 'Stale'
    const json = `{"version":${JSON.stringify(version)},${listed === '' ? '' : `"resources":[${listed}],`}"freshness":"${freshness}"}`
    const entries = this.#groups.get(group) ?? new Map<string, Entry>()
    const present = entries.get(name)
    if (
      present?.version.json === json &&
      present.record.groupPriority === groupPriority &&
      present.record.versionPriority === versionPriority
    )
      return
    entries.set(name, { record, version: { version, groupPriority, json }, resources, isCurrent })
    this.#groups.set(group, entries)
    this.#publish(group)
  }

  #remove(name: string): void {
    this.#outdated.delete(name)
    for (const [group, entries] of this.#groups) {
      if (!entries.delete(name)) continue
      this.#publish(group)
      if (entries.size === 0) this.#groups.delete(group)
    }
  }

  #publish(group: string): void {
    const entries = [...this.#groups.get(group)!.values()]
    const priorities = new Map(entries.map(({ record }) => [record.version, record.versionPriority]))
    this.#options.discovery.setRemoteGroup(group, {
      versions: entries.map(({ version }) => version),
      priorityOf: (version) => priorities.get(version) ?? findBuiltinPriorities(group, version)?.version ?? customVersionPriority,
    })
  }

  /** Removes the documents of servers that no APIService has. */
  #forgetUnused(): void {
    const used = new Set(Array.from(this.#options.index.listRecords(), formatServer))
    for (const key of this.#documents.keys()) if (!used.has(key)) this.#documents.delete(key)
  }
}

function formatServer({ service }: ApiServiceRecord): string {
  return service === undefined ? '' : `${service.namespace}/${service.name}:${service.port}`
}
