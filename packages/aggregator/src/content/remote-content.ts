import { appendAll, compareVersions, isApiError, parseJson } from '@keelson/apimachinery'
import type { DeleteOptions, GroupVersionResource, ObjectMeta } from '@keelson/apimachinery'
import { loopbackUser } from '@keelson/loopback'
import { findAnswerError, OutboundError } from '@keelson/outbound'
import type { OutboundAnswer, OutboundClient, OutboundRequest } from '@keelson/outbound'
import type { RemoteResources } from '../discovery/discovery-controller.ts'

/** The metadata of an object of another server. */
interface RemoteObject {
  readonly metadata: Partial<Pick<ObjectMeta, 'name' | 'finalizers'>>
}

/** A namespaced resource of another server. */
export interface RemoteContentResource extends GroupVersionResource {
  /** Deletes all objects of a namespace. */
  deleteCollection(namespace: string, options: DeleteOptions): Promise<void>
  list(options: { readonly namespace: string }): Promise<{ readonly items: readonly RemoteObject[] }>
}

/** The namespaced resources of other servers. */
export interface RemoteContent {
  readonly resources: readonly RemoteContentResource[]
  /** Group versions with unknown resources ("example.com/v1"), and why they are unknown. */
  readonly failures: ReadonlyMap<string, string>
}

export interface RemoteContentOptions {
  readonly discovered: Iterable<RemoteResources>
  /** Returns the client for the server of an APIService. */
  readonly findClient: (name: string) => Pick<OutboundClient, 'request'> | undefined
}

const timeoutMs = 60_000
/** Number of objects in one response. Parsing more would block other requests. */
const pageSize = 100
const maxPageBytes = 4 * 2 ** 20
/** Maximum number of pages that are read. A server may always announce another one. */
const maxPages = 1000

/** Returns the namespaced resources of other servers that support deletion. Of several versions, the one with the highest priority is used. */
export function listRemoteContent({ discovered, findClient }: RemoteContentOptions): RemoteContent {
  const failures = new Map<string, string>()
  const resources = new Map<string, RemoteContentResource>()
  const sorted = [...discovered].toSorted(
    ({ record: a }, { record: b }) => b.versionPriority - a.versionPriority || compareVersions(a.version, b.version),
  )
  for (const { record, resources: listed } of sorted) {
    const { name, group, version } = record
    const groupVersion = `${group}/${version}`
    if (listed === undefined) failures.set(groupVersion, `stale GroupVersion discovery: ${groupVersion}`)
    for (const { resource, scope, verbs } of listed ?? []) {
      const key = `${resource}.${group}`
      if (scope !== 'Namespaced' || verbs?.includes('delete') !== true || resources.has(key)) continue
      resources.set(key, new ServerResource({ group, version, resource }, () => findClient(name)))
    }
  }
  return { resources: [...resources.values()], failures }
}

class ServerResource implements RemoteContentResource {
  readonly group: string
  readonly version: string
  readonly resource: string
  readonly #findClient: () => Pick<OutboundClient, 'request'> | undefined

  constructor({ group, version, resource }: GroupVersionResource, findClient: () => Pick<OutboundClient, 'request'> | undefined) {
    this.group = group
    this.version = version
    this.resource = resource
    this.#findClient = findClient
  }

  async deleteCollection(namespace: string, options: DeleteOptions): Promise<void> {
    const body = JSON.stringify({ kind: 'DeleteOptions', apiVersion: 'v1', ...options })
    const path = this.#formatPath(namespace)
    if (await this.#isSupported('DELETE', path, body)) return
    for (const { metadata } of (await this.list({ namespace })).items) {
      await this.#isSupported('DELETE', `${path}/${encodeURIComponent(metadata.name ?? '')}`, body)
    }
  }

  async list({ namespace }: { readonly namespace: string }): Promise<{ readonly items: readonly RemoteObject[] }> {
    const items: RemoteObject[] = []
    let token = ''
    for (let page = 0; page < maxPages; page++) {
      const read = await this.#readPage(namespace, token)
      if (read === undefined) break
      appendAll(items, read.items)
      token = read.token
      if (token === '') break
    }
    return { items }
  }

  /** Reads a page. Asks for fewer objects while they are too large for one response. */
  async #readPage(namespace: string, token: string): Promise<Page | undefined> {
    const query = token === '' ? '' : `&continue=${encodeURIComponent(token)}`
    for (let limit = pageSize; ; limit = Math.floor(limit / 4)) {
      try {
        const answer = await this.#request('GET', `${this.#formatPath(namespace)}?limit=${limit}${query}`)
        return answer && parsePage(answer.body)
      } catch (error) {
        const { cause } = error as Error
        if (limit === 1 || !(cause instanceof OutboundError) || cause.kind !== 'tooLarge') throw error
      }
    }
  }

  #formatPath(namespace: string): string {
    const base = this.group === '' ? `/api/${this.version}` : `/apis/${this.group}/${this.version}`
    return `${base}/namespaces/${namespace}/${this.resource}`
  }

  async #isSupported(method: string, path: string, body: string): Promise<boolean> {
    return (await this.#request(method, path, body)) !== undefined
  }

  /** Sends a request. Returns undefined if the server does not support it, or if the object does not exist. */
  async #request(method: string, path: string, body?: string): Promise<Extract<OutboundAnswer, { readonly failed: false }> | undefined> {
    const request: OutboundRequest = { method, path, headers, timeoutMs, maxBytes: maxPageBytes, ...(body !== undefined && { body }) }
    const answer = await this.#findClient()?.request(request)
    if (answer === undefined) throw new Error(`the API server of ${this.resource}.${this.group} is gone`)
    const error = findAnswerError(answer)
    if (isApiError(error, 'NotFound') || isApiError(error, 'MethodNotAllowed')) return undefined
    if (error !== undefined || answer.failed) throw error
    return answer
  }
}

const headers: Readonly<Record<string, string>> = {
  'X-Remote-User': loopbackUser.name,
  'X-Remote-Group': loopbackUser.groups[0]!,
  accept: 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json',
  'content-type': 'application/json',
}

interface Page {
  readonly items: readonly RemoteObject[]
  /** Token of the next page. Empty if there is none. */
  readonly token: string
}

/** Parses a page of a list. Keeps only what the deletion of a namespace needs. Throws if it is not a list. */
function parsePage(body: Buffer): Page {
  const { items = [], metadata } = (parseJson(body.toString('utf8')).value ?? {}) as {
    readonly items?: readonly RemoteObject[] | null
    readonly metadata?: { readonly continue?: string }
  }
  const token = metadata?.continue ?? ''
  const isList = Array.isArray(items ?? []) && (items ?? []).every((item) => typeof item?.metadata === 'object' && item.metadata !== null)
  if (!isList || typeof token !== 'string') throw new Error('the list of another API server has an invalid form')
  return {
    items: (items ?? []).map(({ metadata: { name, finalizers } }) => ({
      metadata: { name: name ?? '', ...(finalizers && { finalizers }) },
    })),
    token,
  }
}
