import { setMaxListeners } from 'node:events'
import {
  selectEveryField,
  selectEverything,
  isApiError,
  newMethodNotSupported,
  newNotFound,
  apiServerUser,
  authenticatedGroup,
  mastersGroup,
  createResourceAction,
} from '@keelson/apimachinery'
import type {
  DeepReadonly,
  DeleteOptions,
  GroupVersionResource,
  JsonObject,
  KubeObject,
  RequestContext,
  UserInfo,
} from '@keelson/apimachinery'
import {
  canCreate,
  canDelete,
  canDeleteCollection,
  canGet,
  canList,
  canUpdate,
  canWatch,
  createObject,
  readResult,
} from '@keelson/registry'
import type { DeleteRequest, ListRequest, RESTStorage, RestResult, Updater, WriteOptions, WriteRoute } from '@keelson/registry'
import type { FirstObjectOptions, ObjectWatch, Predicate } from '@keelson/storagebackend'
import type { EventTracker } from './event-tracker.ts'
import type { LoopbackListOptions, LoopbackResource, LoopbackWatchOptions, LoopbackWriteOptions, LoopbackWritten } from './client.ts'

interface RegistryResourceOptions {
  readonly resource: GroupVersionResource
  readonly main: RESTStorage
  readonly getSubresource: (name: string) => RESTStorage | undefined
  /** Returns the route of a subresource, or of the resource itself for "". Returns undefined if there is no such route. */
  readonly route: (subresource: string) => WriteRoute | undefined
  /** Tracks the watches of the client. */
  readonly tracker: EventTracker
  readonly fieldManager: string
  /** Returns the time in milliseconds since the epoch. */
  readonly now: () => number
}

const everyObject: Predicate = { labels: selectEverything(), fields: selectEveryField() }

const ownOptions: WriteOptions = { dryRun: false, fieldManager: '', force: false, fieldValidation: 'Ignore' }

/**
 * The verbs of a loopback client for one resource, implemented with the resource's registry storage. Reads return shared objects, which
 * must not be changed.
 */
export class RegistryResource implements LoopbackResource {
  readonly #options: RegistryResourceOptions

  constructor(options: RegistryResourceOptions) {
    this.#options = options
  }

  get quota(): RESTStorage['quota'] {
    return this.#options.main.quota
  }

  async get(namespace: string, name: string, options: { resourceVersion?: string } = {}): Promise<DeepReadonly<KubeObject> | undefined> {
    const { main } = this.#options
    if (!canGet(main)) throw this.#rejectUnsupported('get')
    try {
      return readResult(
        await main.get(this.#createContext('get', namespace, { name }), name, { resourceVersion: options.resourceVersion ?? '0' }),
      )
    } catch (error) {
      if (isApiError(error, 'NotFound')) return undefined
      throw error
    }
  }

  async list(options: LoopbackListOptions = {}): Promise<{ items: readonly DeepReadonly<KubeObject>[]; resourceVersion: string }> {
    const { main } = this.#options
    if (!canList(main)) throw this.#rejectUnsupported('list')
    const list = await main.list(this.#createContext('list', options.namespace ?? ''), listRequest(options))
    return { items: Array.from(list.items, (item) => readResult(item)), resourceVersion: String(list.revision) }
  }

  async watch(options: LoopbackWatchOptions): Promise<ObjectWatch> {
    const { main } = this.#options
    if (!canWatch(main)) throw this.#rejectUnsupported('watch')
    const { namespace = '', predicate = everyObject, resourceVersion = '', sendInitialEvents, signal } = options
    const watch = await main.watch(
      this.#createContext('watch', namespace, { signal }),
      {
        predicate,
        resourceVersion,
        resourceVersionMatch: sendInitialEvents === undefined ? undefined : 'NotOlderThan',
        allowBookmarks: true,
        sendInitialEvents,
        deadline: Number.POSITIVE_INFINITY,
      },
      signal,
    )
    return this.#options.tracker.track(watch)
  }

  async waitForFirstObject(options: FirstObjectOptions): Promise<void> {
    await this.#options.main.waitForFirstObject?.(options)
  }

  async create(namespace: string, object: KubeObject, { fieldManager }: LoopbackWriteOptions = {}): Promise<LoopbackWritten> {
    const { main, route } = this.#options
    if (!canCreate(main)) throw this.#rejectUnsupported('create')
    const context = this.#createContext('create', namespace, { fieldManager })
    return toWritten(await createObject(main, { route: route('')!, context, name: '', options: ownOptions, sent: { object } }))
  }

  async update(
    namespace: string,
    name: string,
    change: (object: KubeObject) => KubeObject,
    options: LoopbackWriteOptions & { subresource?: string } = {},
  ): Promise<LoopbackWritten> {
    const { subresource = '', fieldManager } = options
    const { resource, route } = this.#options
    const storage = this.#getUpdater('update', subresource)
    const context = this.#createContext('update', namespace, { name, subresource, fieldManager })
    const edit = (current: KubeObject | undefined): KubeObject => {
      if (current === undefined) throw newNotFound(resource, name)
      return change(current)
    }
    const { object } = await storage.update(context, name, {
      change: { kind: 'edit', edit },
      dryRun: false,
      route: route(subresource),
    })
    return toWritten(object)
  }

  async apply(namespace: string, config: KubeObject, options: { fieldManager: string; subresource?: string }): Promise<LoopbackWritten> {
    const { fieldManager, subresource = '' } = options
    const storage = this.#getUpdater('patch', subresource)
    const route = this.#options.route(subresource)
    if (route?.fieldManager === undefined) throw this.#rejectUnsupported('patch', subresource)
    const { gvk, apiVersion } = route
    const name = config.metadata.name ?? ''
    const { object } = await storage.update(this.#createContext('patch', namespace, { name, subresource }), name, {
      change: { kind: 'apply', configuration: { config: { ...config, kind: gvk.kind, apiVersion } as unknown as JsonObject } },
      dryRun: false,
      route,
      options: { ...ownOptions, fieldManager, force: true },
    })
    return toWritten(object)
  }

  #getUpdater(verb: string, subresource: string): RESTStorage & Updater {
    const storage = subresource === '' ? this.#options.main : this.#options.getSubresource(subresource)
    if (storage === undefined || !canUpdate(storage)) throw this.#rejectUnsupported(verb, subresource)
    return storage
  }

  async delete(namespace: string, name: string, options: DeleteOptions = {}): Promise<void> {
    const { main } = this.#options
    if (!canDelete(main)) throw this.#rejectUnsupported('delete')
    const context = this.#createContext('delete', namespace, { name })
    await main.delete(context, name, this.#deleteRequest(options))
  }

  async deleteCollection(namespace: string, options: DeleteOptions = {}): Promise<void> {
    const { main } = this.#options
    const context = this.#createContext('deletecollection', namespace)
    if (canDeleteCollection(main)) {
      await main.deleteCollection(context, this.#deleteRequest(options), listRequest({ resourceVersion: '' }))
      return
    }
    const { items } = await this.list({ namespace, resourceVersion: '' })
    for (const { metadata } of items) {
      try {
        await this.delete(metadata.namespace ?? '', metadata.name ?? '', options)
      } catch (error) {
        if (!isApiError(error, 'NotFound')) throw error
      }
    }
  }

  #deleteRequest(options: DeleteOptions): DeleteRequest {
    return { options, dryRun: false, route: this.#options.route('') }
  }

  #createContext(
    verb: string,
    namespace: string,
    { fieldManager, ...rest }: Pick<LoopbackRequest, 'name' | 'subresource' | 'signal'> & { fieldManager?: string | undefined } = {},
  ): RequestContext {
    const request = { verb, resource: this.#options.resource, namespace, ...rest }
    return createLoopbackContext(request, fieldManager ?? this.#options.fieldManager, this.#options.now)
  }

  #rejectUnsupported(verb: string, subresource = ''): unknown {
    const { group, resource } = this.#options.resource
    return newMethodNotSupported({ group, resource: subresource === '' ? resource : `${resource}/${subresource}` }, verb)
  }
}

function toWritten(result: RestResult): LoopbackWritten {
  return { getObject: () => readResult(result) }
}

function listRequest({ predicate = everyObject, resourceVersion = '0' }: LoopbackListOptions): ListRequest {
  return { predicate, resourceVersion, resourceVersionMatch: undefined, limit: 0, continue: '' }
}

/** The user of the server's own requests. */
export const loopbackUser: UserInfo = { name: apiServerUser, groups: [mastersGroup, authenticatedGroup] }

/** The properties of a request that differ between requests of the loopback client. The user is always the server itself. */
export interface LoopbackRequest {
  readonly verb: string
  readonly resource: GroupVersionResource
  readonly subresource?: string
  readonly namespace: string
  readonly name?: string
  readonly signal?: AbortSignal
}

const neverAborted = new AbortController().signal
// All requests without a signal share this signal, so it may have any number of listeners.
setMaxListeners(0, neverAborted)
let requests = 0

/**
 * Creates a request context like that of the HTTP layer, so that registry, admission and audit can treat the request like one from HTTP.
 */
export function createLoopbackContext(request: LoopbackRequest, fieldManager: string, now: () => number): RequestContext {
  const { verb, resource, subresource = '', namespace, name = '' } = request
  return {
    user: loopbackUser,
    attributes: createResourceAction({
      verb,
      apiGroup: resource.group,
      apiVersion: resource.version,
      namespace,
      resource: resource.resource,
      subresource,
      name,
    }),
    namespace,
    signal: request.signal ?? neverAborted,
    userAgent: fieldManager,
    fieldManager,
    requestId: `loopback-${++requests}`,
    now,
    warn() {},
  }
}
