import { compareUtf8 } from '@keelson/apimachinery'
import { readRemoteSwagger } from '@keelson/http-installer'
import type { OpenApiRegistry, RemoteSwagger } from '@keelson/http-installer'
import type { ApiServiceRecord } from '../apiservices/api-service-index.ts'
import { DocumentQueue } from './document-queue.ts'
import type { DocumentAnswer, DocumentServers } from './document-queue.ts'

export interface SwaggerControllerOptions extends DocumentServers {
  readonly openApi: Pick<OpenApiRegistry, 'setRemoteSwaggers'>
}

/** Maximum size of a document. That of kube-apiserver, with all built-in groups, has 4 MB. */
const maxBytes = 8 * 2 ** 20
/** Maximum number of characters that are kept of the documents of all servers. */
const maxKept = 16 * 2 ** 20

interface ReadDocument {
  readonly etag: string | undefined
  readonly swagger: RemoteSwagger
}

/** Reads the OpenAPI v2 documents of other servers, and merges them into that of this server. A document that was read is kept while its server fails. */
export class SwaggerController implements AsyncDisposable {
  readonly #options: SwaggerControllerOptions
  readonly #queue: DocumentQueue
  readonly #documents = new Map<string, ReadDocument>()

  constructor(options: SwaggerControllerOptions) {
    this.#options = options
    options.index.subscribe(({ name, record, old }) => {
      if (record?.service === undefined || record.uid !== old?.uid) this.#remove(name)
    })
    this.#queue = new DocumentQueue({
      ...options,
      name: 'open_api_aggregation_controller',
      path: '/openapi/v2',
      maxBytes,
      createHeaders: (name) => {
        const etag = this.#documents.get(name)?.etag
        return { accept: 'application/json', ...(etag !== undefined && { 'if-none-match': etag }) }
      },
      accept: (record, answer) => this.#accept(record, answer),
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#queue[Symbol.asyncDispose]()
  }

  async #accept({ name, group, version, uid }: ApiServiceRecord, { status, headers, body }: DocumentAnswer): Promise<boolean> {
    // A server without a document is not asked again until it changes, as in kube-aggregator.
    if (status === 404) return false
    if (status === 304) return true
    if (status !== 200) throw new Error(`OpenAPI v2 of ${name}: status ${status}`)
    const swagger = await readRemoteSwagger(body, `/apis/${group}/${version}/`)
    if (this.#options.index.get(name)?.uid !== uid) return false
    this.#put(name, { etag: headers['etag'], swagger })
    return true
  }

  #put(name: string, document: ReadDocument): void {
    const old = this.#documents.get(name)
    let keptSize = document.swagger.size
    for (const [other, { swagger }] of this.#documents) if (other !== name) keptSize += swagger.size
    if (keptSize > maxKept) throw new Error(`OpenAPI v2 of ${name}: the documents of all servers are larger than ${maxKept} characters`)
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
