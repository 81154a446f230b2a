import { createApiErrorFromStatus, formatGroupVersion, isApiError, newUnknownError } from '@keelson/apimachinery'
import type { DeleteOptions, KubeList, KubeObject, ObjectMeta, Status } from '@keelson/apimachinery'
import type { ServedKind } from './served-resources.ts'
import { WaitTimeoutError, isMet } from './wait-conditions.ts'
import type { WaitCondition, WaitOptions } from './wait-conditions.ts'
import { readWatchEvents } from './watch-lines.ts'
import type { WatchEvent } from './watch-lines.ts'

/** An object to write. Its kind, version and namespace can be left out. */
export type ObjectToWrite<T extends KubeObject> = Omit<T, 'metadata'> & { metadata: ObjectMeta }

export interface SelectOptions {
  readonly labelSelector?: string
  readonly fieldSelector?: string
}

export interface ListOptions extends SelectOptions {
  readonly limit?: number
  readonly continue?: string
  readonly resourceVersion?: string
  readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan'
}

export interface WatchOptions extends SelectOptions {
  /** Starts after this version. Default: the watch starts with an ADDED event for each existing object. */
  readonly resourceVersion?: string
  readonly timeoutSeconds?: number
  readonly allowWatchBookmarks?: boolean
  readonly sendInitialEvents?: boolean
  /** Ends the watch without an error. */
  readonly signal?: AbortSignal
}

export interface WriteOptions {
  readonly dryRun?: boolean
  readonly fieldManager?: string
  readonly fieldValidation?: 'Ignore' | 'Warn' | 'Strict'
  /** Writes to a subresource, such as "status" or "scale". */
  readonly subresource?: string
}

export interface PatchOptions extends WriteOptions {
  /** Type of the patch. Default: "merge". */
  readonly type?: keyof typeof patchTypes
}

export interface ApplyOptions extends WriteOptions {
  /** Takes over fields of other managers. Default: false, which fails with a conflict. */
  readonly force?: boolean
}

const patchTypes = {
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  json: 'application/json-patch+json',
} as const

type Fetch = (input: string, init?: RequestInit) => Promise<Response>
type QueryValue = string | number | boolean | undefined

export interface ResourceClientParts {
  readonly fetch: Fetch
  readonly served: ServedKind
  /** Namespace of all requests. Undefined for "default", and for lists and watches of all namespaces. */
  readonly namespace: string | undefined
  /** Manager of fields that are applied without `fieldManager`. */
  readonly fieldManager: string
}

/**
 * The verbs of one resource for one user. Failed requests throw an `ApiError`.
 *
 * `T` is the type of objects in responses. `Input` is the type of objects to write, in which fields with a default may be absent.
 *
 * Without a namespace, `list`, `watch` and `deleteCollection` use all namespaces, and the other verbs use the object's namespace or "default".
 */
export class ResourceClient<T extends KubeObject = KubeObject, Input extends KubeObject = T> {
  readonly #dependencies: ResourceClientParts

  constructor(dependencies: ResourceClientParts) {
    this.#dependencies = dependencies
  }

  /** Returns the path of the resource, or of one object. */
  getPath(
    name = '',
    { namespace = this.#dependencies.namespace, subresource = '' }: { namespace?: string | undefined; subresource?: string } = {},
  ): string {
    const { served } = this.#dependencies
    const root = served.group === '' ? `/api/${served.version}` : `/apis/${formatGroupVersion(served)}`
    const scopePath = served.namespaced && namespace !== undefined ? `/namespaces/${encodeURIComponent(namespace)}` : ''
    const suffix = [name, subresource].filter((part) => part !== '').map((part) => `/${encodeURIComponent(part)}`)
    return `${root}${scopePath}/${served.resource}${suffix.join('')}`
  }

  /** Returns an object. Throws NotFound if it does not exist. */
  get(name: string, options: { readonly resourceVersion?: string; readonly subresource?: string } = {}): Promise<T> {
    const { resourceVersion, subresource } = options
    return this.#send('GET', this.#getObjectPath(name, subresource), { query: { resourceVersion } })
  }

  list(options: ListOptions = {}): Promise<KubeList<T>> {
    return this.#send('GET', this.getPath(), { query: { ...options } })
  }

  create(object: ObjectToWrite<Input>, { subresource, ...options }: WriteOptions = {}): Promise<T> {
    const namespace = object.metadata.namespace ?? this.#getNamespace()
    const path = this.getPath(subresource === undefined ? '' : object.metadata.name, { namespace, ...(subresource && { subresource }) })
    return this.#send('POST', path, { query: formatWriteQuery(options), body: this.#complete(object) })
  }

  /** Replaces an object. Fails with a conflict if its `resourceVersion` is not the current one. */
  update(object: ObjectToWrite<Input>, { subresource, ...options }: WriteOptions = {}): Promise<T> {
    const { name = '', namespace } = object.metadata
    return this.#send('PUT', this.#getObjectPath(name, subresource, namespace), {
      query: formatWriteQuery(options),
      body: this.#complete(object),
    })
  }

  patch(name: string, patch: object, { subresource, type = 'merge', ...options }: PatchOptions = {}): Promise<T> {
    const contentType = patchTypes[type]
    return this.#send('PATCH', this.#getObjectPath(name, subresource), { query: formatWriteQuery(options), body: patch, contentType })
  }

  /** Applies a configuration with a server-side apply. Creates the object if it does not exist. */
  apply(config: ObjectToWrite<Input>, { subresource, force, ...options }: ApplyOptions = {}): Promise<T> {
    const { name = '', namespace } = config.metadata
    return this.#send('PATCH', this.#getObjectPath(name, subresource, namespace), {
      query: { ...formatWriteQuery({ fieldManager: this.#dependencies.fieldManager, ...options }), force },
      body: this.#complete(config),
      contentType: 'application/apply-patch+yaml',
    })
  }

  /** Deletes an object. Returns the object, or a Status if it is gone at once. */
  delete(name: string, options: DeleteOptions = {}): Promise<T | Status> {
    return this.#send('DELETE', this.#getObjectPath(name), { body: { kind: 'DeleteOptions', apiVersion: 'v1', ...options } })
  }

  deleteCollection(selection: SelectOptions = {}, options: DeleteOptions = {}): Promise<KubeList<T>> {
    return this.#send('DELETE', this.getPath(), {
      query: { ...selection },
      body: { kind: 'DeleteOptions', apiVersion: 'v1', ...options },
    })
  }

  /**
   * Watches the objects. The sequence ends when the server ends the watch, or when the signal aborts. Leaving the loop ends the watch. Throws
   * the error of an ERROR event, such as Expired.
   *
   * @example
   * for await (const { type, object } of cluster.resource('pods').watch({ signal })) console.log(type, object.metadata.name)
   */
  async *watch({ signal, ...options }: WatchOptions = {}): AsyncGenerator<WatchEvent<T>, void> {
    const abort = new AbortController()
    const onAbort = (): void => abort.abort()
    signal?.addEventListener('abort', onAbort)
    try {
      if (signal?.aborted) return
      const url = this.getPath() + formatQuery({ watch: true, ...options })
      const response = await this.#dependencies.fetch(url, { signal: abort.signal })
      if (!response.ok) throw await readError(response)
      yield* readWatchEvents<T>(response.body!)
    } catch (error) {
      if (!signal?.aborted) throw error
    } finally {
      signal?.removeEventListener('abort', onAbort)
      abort.abort()
    }
  }

  /**
   * Waits until an object meets a condition, and returns it. For "deleted", returns the last state of the object. Throws `WaitTimeoutError`
   * after `timeoutMs`.
   *
   * @example
   * await cluster.resource('deployments.apps').waitFor('web', (deployment) => deployment?.status?.readyReplicas === 3)
   */
  async waitFor(name: string, condition: WaitCondition<T>, { timeoutMs = 10_000 }: WaitOptions = {}): Promise<T> {
    const namespace = this.#getNamespace()
    const scoped = this.#dependencies.namespace === namespace ? this : new ResourceClient<T, Input>({ ...this.#dependencies, namespace })
    const abort = new AbortController()
    const timer = setTimeout(() => abort.abort(), timeoutMs)
    let last: T | undefined
    try {
      for (;;) {
        const { items, metadata } = await scoped.list({ fieldSelector: `metadata.name=${name}` })
        // A missing object cannot be returned for "deleted" if it was never seen, so its name stands for it.
        const current = items[0]
        if (isMet(condition, current)) return current ?? last ?? ({ metadata: { name, namespace } } as T)
        last = current ?? last
        const { resourceVersion } = metadata
        const watch = scoped.watch({
          fieldSelector: `metadata.name=${name}`,
          ...(resourceVersion !== undefined && { resourceVersion }),
          signal: abort.signal,
        })
        try {
          for await (const { type, object } of watch) {
            if (type === 'BOOKMARK') continue
            last = object
            if (isMet(condition, type === 'DELETED' ? undefined : object)) return object
          }
        } catch (error) {
          if (!isApiError(error, 'Expired')) throw error
        }
        if (abort.signal.aborted) throw new WaitTimeoutError(this.#describe(name, namespace), condition, last, timeoutMs)
      }
    } finally {
      clearTimeout(timer)
    }
  }

  #describe(name: string, namespace: string | undefined): string {
    return `${this.#dependencies.served.kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`
  }

  /** Returns the namespace of single objects. Undefined for cluster-wide resources. */
  #getNamespace(): string | undefined {
    return this.#dependencies.served.namespaced ? (this.#dependencies.namespace ?? 'default') : undefined
  }

  #getObjectPath(name: string, subresource?: string, namespace: string | undefined = this.#getNamespace()): string {
    if (name === '') throw new TypeError(`${this.#dependencies.served.kind}: metadata.name must be set`)
    return this.getPath(name, { namespace, ...(subresource !== undefined && { subresource }) })
  }

  /** Adds the kind and version of the resource to an object. */
  #complete(object: ObjectToWrite<Input>): object {
    const { served } = this.#dependencies
    return { apiVersion: formatGroupVersion(served), kind: served.kind, ...object }
  }

  async #send<R>(method: string, path: string, { query = {}, body, contentType = 'application/json' }: RequestParts): Promise<R> {
    const response = await this.#dependencies.fetch(path + formatQuery(query), {
      method,
      ...(body !== undefined && { headers: { 'content-type': contentType }, body: JSON.stringify(body) }),
    })
    if (!response.ok) throw await readError(response)
    return (await response.json()) as R
  }
}

interface RequestParts {
  readonly query?: Readonly<Record<string, QueryValue>>
  readonly body?: object
  readonly contentType?: string
}

function formatWriteQuery({ dryRun, fieldManager, fieldValidation }: WriteOptions): Readonly<Record<string, QueryValue>> {
  return { dryRun: dryRun === true ? 'All' : undefined, fieldManager, fieldValidation }
}

function formatQuery(query: Readonly<Record<string, QueryValue>>): string {
  const set = Object.entries(query).filter((entry): entry is [string, string | number | boolean] => entry[1] !== undefined)
  return set.length === 0 ? '' : `?${new URLSearchParams(set.map(([name, value]) => [name, String(value)])).toString()}`
}

/** Reads the `ApiError` of a failed response. */
export async function readError(response: Response): Promise<Error> {
  const text = await response.text()
  try {
    const status = JSON.parse(text) as Status
    if (status.kind === 'Status') return createApiErrorFromStatus(status)
  } catch {
    // The body is no JSON: some errors are plain text.
  }
  return newUnknownError(text, { code: response.status })
}
