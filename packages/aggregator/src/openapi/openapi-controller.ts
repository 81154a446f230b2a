import { parseJsonRequest } from '@keelson/apimachinery'
import type { OpenApiRegistry } from '@keelson/http-installer'
import type { Route } from '@keelson/exchange'
import type { ApiServiceRecord } from '../apiservices/api-service-index.ts'
import { DocumentQueue } from './document-queue.ts'
import type { DocumentAnswer, DocumentServers } from './document-queue.ts'

export interface OpenApiControllerOptions extends DocumentServers {
  readonly openApi: Pick<OpenApiRegistry, 'addRemote'>
  /** Returns the route of the server of a group version. */
  readonly findRoute: (group: string, version: string) => Route | undefined
}

/** Maximum size of the index of documents. */
const maxBytes = 2 ** 20
const maxUrlLength = 2048

/**
 * Reads the indexes of the OpenAPI v3 documents of other servers, and lists the documents of their group versions. The documents themselves are
 * not read: requests for them are forwarded.
 */
export class OpenApiController implements AsyncDisposable {
  readonly #options: OpenApiControllerOptions
  readonly #queue: DocumentQueue
  /** Functions that remove the documents of an APIService. */
  readonly #removals = new Map<string, { readonly url: string; readonly remove: () => void }>()

  constructor(options: OpenApiControllerOptions) {
    this.#options = options
    options.index.subscribe(({ name, record }) => {
      if (record?.service === undefined) this.#remove(name)
    })
    this.#queue = new DocumentQueue({
      ...options,
      name: 'open_api_v3_aggregation_controller',
      path: '/openapi/v3',
      maxBytes,
      accept: (record, answer) => this.#accept(record, answer),
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#queue[Symbol.asyncDispose]()
  }

  async #accept(record: ApiServiceRecord, { status, body }: DocumentAnswer): Promise<boolean> {
    if (status !== 200 && status !== 404) throw new Error(`OpenAPI of ${record.name}: status ${status}`)
    const url = status === 404 ? undefined : await findUrl(body, record)
    if (this.#options.index.get(record.name)?.uid !== record.uid) return false
    this.#put(record, url)
    return true
  }

  #put({ name, group, version }: ApiServiceRecord, url: string | undefined): void {
    if (this.#removals.get(name)?.url === url) return
    this.#remove(name)
    const { openApi, findRoute } = this.#options
    const route = findRoute(group, version)
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
async function findUrl(index: Buffer, { group, version }: ApiServiceRecord): Promise<string | undefined> {
  const { paths } = (await parseJsonRequest(index)).value as {
    readonly paths?: Readonly<Record<string, { readonly serverRelativeURL?: unknown }>>
  }
  const path = formatPath(group, version)
  const url = paths !== undefined && paths !== null && Object.hasOwn(paths, path) ? paths[path]?.serverRelativeURL : undefined
  if (typeof url !== 'string' || url.length > maxUrlLength) return undefined
  // A URL elsewhere would send clients to another path or server.
  return url.startsWith(`/openapi/v3/${path}?`) || url === `/openapi/v3/${path}` ? url : undefined
}
