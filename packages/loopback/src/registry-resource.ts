import { copyObject, everyField, everything, isApiError, newMethodNotSupported, newNotFound } from '@keelson/apimachinery'
import type {
  DeepReadonly,
  DeleteOptions,
  GroupVersionResource,
  JsonObject,
  KubeObject,
  RequestContext,
  Scheme,
} from '@keelson/apimachinery'
import type { FieldManager } from '@keelson/apimachinery/managed-fields'
import {
  canCreate,
  canDelete,
  canDeleteCollection,
  canGet,
  canList,
  canUpdate,
  canWatch,
  noAdmission,
  readResult,
  WriteAttributes,
} from '@keelson/registry'
import type {
  AdmissionAttributes,
  AdmissionChain,
  AdmissionOperation,
  DeleteRequest,
  ListRequest,
  RESTStorage,
  RestResult,
  Updater,
  WriteOptions,
} from '@keelson/registry'
import type { ObjectWatch, Predicate } from '@keelson/storagebackend'
import type { LoopbackListOptions, LoopbackResource, LoopbackWatchOptions, LoopbackWritten } from './client.ts'
import { loopbackContext } from './request.ts'

export interface RegistryResourceParts {
  readonly resource: GroupVersionResource
  readonly main: RESTStorage
  readonly subresource: (name: string) => RESTStorage | undefined
  readonly scheme: Scheme
  readonly admission: () => AdmissionChain
  readonly fieldManager: string
  /** Milliseconds since the epoch. */
  readonly now: () => number
  /** By subresource; undefined where nobody manages fields. */
  readonly fieldManagers: (subresource: string) => FieldManager | undefined
}

const everyObject: Predicate = { labels: everything(), fields: everyField() }

const noOptions: WriteOptions = { dryRun: false, fieldManager: '', force: false, fieldValidation: 'Ignore' }

/** A client's verbs on a registry's storage. Objects that are read are shared: they are never written to. */
export class RegistryResource implements LoopbackResource {
  readonly #parts: RegistryResourceParts

  constructor(parts: RegistryResourceParts) {
    this.#parts = parts
  }

  async get(namespace: string, name: string, options: { resourceVersion?: string } = {}): Promise<DeepReadonly<KubeObject> | undefined> {
    const { main } = this.#parts
    if (!canGet(main)) throw this.#unsupported('get')
    try {
      return readResult(
        await main.get(this.#context('get', namespace, { name }), name, { resourceVersion: options.resourceVersion ?? '0' }),
      )
    } catch (error) {
      if (isApiError(error, 'NotFound')) return undefined
      throw error
    }
  }

  async list(options: LoopbackListOptions = {}): Promise<{ items: readonly DeepReadonly<KubeObject>[]; resourceVersion: string }> {
    const { main } = this.#parts
    if (!canList(main)) throw this.#unsupported('list')
    const list = await main.list(this.#context('list', options.namespace ?? ''), listRequest(options))
    return { items: Array.from(list.items, (item) => readResult(item)), resourceVersion: String(list.revision) }
  }

  async watch(options: LoopbackWatchOptions): Promise<ObjectWatch> {
    const { main } = this.#parts
    if (!canWatch(main)) throw this.#unsupported('watch')
    const { namespace = '', predicate = everyObject, resourceVersion = '', sendInitialEvents, signal } = options
    return main.watch(
      this.#context('watch', namespace, { signal }),
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
  }

  async create(namespace: string, object: KubeObject): Promise<LoopbackWritten> {
    const { main, scheme } = this.#parts
    if (!canCreate(main)) throw this.#unsupported('create')
    const context = this.#context('create', namespace)
    if (namespace !== '') object.metadata.namespace ??= namespace
    scheme.setDefaults(main.gvk, object)
    this.#parts.fieldManagers('')?.update(undefined, object, this.#parts.fieldManager)
    const attributes = (object: KubeObject, isFinal: boolean): AdmissionAttributes =>
      this.#attributes(context, 'CREATE', { name: object.metadata.name ?? '', object, isFinal })
    const admission = this.#parts.admission()
    await admission.admit(attributes(object, false))
    return written(
      await main.create(context, object, {
        dryRun: false,
        validate: (final) => admission.validate(attributes(final, true)),
      }),
    )
  }

  async update(
    namespace: string,
    name: string,
    change: (object: KubeObject) => KubeObject,
    options: { subresource?: string } = {},
  ): Promise<LoopbackWritten> {
    const { subresource = '' } = options
    const storage = this.#updater('update', subresource)
    const manager = this.#parts.fieldManagers(subresource)
    const context = this.#context('update', namespace, { name, subresource })
    const admission = this.#parts.admission()
    const attributes = (object: KubeObject, oldObject: KubeObject | undefined, isFinal: boolean): AdmissionAttributes =>
      this.#attributes(context, 'UPDATE', { name, subresource, object, oldObject, isFinal })
    const { object } = await storage.update(
      context,
      name,
      {
        updatedObject: async (current) => {
          if (current === undefined) throw newNotFound(this.#parts.resource, name)
          if (admission === noAdmission && manager === undefined) return change(current)
          const old = copyObject(current)
          const changed = change(current)
          manager?.update(old, changed, this.#parts.fieldManager)
          await admission.admit(attributes(changed, old, false))
          return changed
        },
      },
      { dryRun: false, validateUpdate: (final, old) => admission.validate(attributes(final, old, true)) },
    )
    return written(object)
  }

  async apply(namespace: string, config: KubeObject, options: { fieldManager: string; subresource?: string }): Promise<LoopbackWritten> {
    const { fieldManager, subresource = '' } = options
    const { group, version, kind } = this.#parts.main.gvk
    const name = config.metadata.name ?? ''
    const storage = this.#updater('patch', subresource)
    const manager = this.#parts.fieldManagers(subresource)
    if (manager === undefined) throw this.#unsupported('patch', subresource)
    const document = { ...config, kind, apiVersion: group === '' ? version : `${group}/${version}` } as unknown as JsonObject
    const context = this.#context('patch', namespace, { name, subresource })
    const admission = this.#parts.admission()
    const attributes = (object: KubeObject, oldObject: KubeObject | undefined, isFinal: boolean): AdmissionAttributes =>
      this.#attributes(context, oldObject === undefined ? 'CREATE' : 'UPDATE', { name, subresource, object, oldObject, isFinal })
    const { object } = await storage.update(
      context,
      name,
      {
        updatedObject: async (current) => {
          const applied = manager.apply(current, document, fieldManager, true)
          if (namespace !== '') applied.metadata.namespace ??= namespace
          await admission.admit(attributes(applied, current, false))
          return applied
        },
      },
      {
        dryRun: false,
        forceAllowCreate: true,
        validateCreate: (final) => admission.validate(attributes(final, undefined, true)),
        validateUpdate: (final, old) => admission.validate(attributes(final, old, true)),
      },
    )
    return written(object)
  }

  #updater(verb: string, subresource: string): RESTStorage & Updater {
    const storage = subresource === '' ? this.#parts.main : this.#parts.subresource(subresource)
    if (storage === undefined || !canUpdate(storage)) throw this.#unsupported(verb, subresource)
    return storage
  }

  async delete(namespace: string, name: string, options: DeleteOptions = {}): Promise<void> {
    const { main } = this.#parts
    if (!canDelete(main)) throw this.#unsupported('delete')
    const context = this.#context('delete', namespace, { name })
    await main.delete(context, name, this.#deleteRequest(context, name, options))
  }

  async deleteCollection(namespace: string, options: DeleteOptions = {}): Promise<void> {
    const { main } = this.#parts
    const context = this.#context('deletecollection', namespace)
    if (canDeleteCollection(main)) {
      await main.deleteCollection(context, this.#deleteRequest(context, '', options), listRequest({ resourceVersion: '' }))
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

  #deleteRequest(context: RequestContext, name: string, options: DeleteOptions): DeleteRequest {
    const admission = this.#parts.admission()
    return {
      options,
      dryRun: false,
      validate: async (oldObject) => {
        const attributes = this.#attributes(context, 'DELETE', { name, object: undefined, oldObject, isFinal: true })
        await admission.admit(attributes)
        await admission.validate(attributes)
      },
    }
  }

  #context(verb: string, namespace: string, rest: { name?: string; subresource?: string; signal?: AbortSignal } = {}): RequestContext {
    return loopbackContext({ verb, resource: this.#parts.resource, namespace, ...rest }, this.#parts.fieldManager, this.#parts.now)
  }

  #attributes(
    context: RequestContext,
    operation: AdmissionOperation,
    rest: {
      readonly name: string
      readonly subresource?: string
      readonly object: KubeObject | undefined
      readonly oldObject?: KubeObject | undefined
      readonly isFinal: boolean
    },
  ): AdmissionAttributes {
    const { main, resource, scheme } = this.#parts
    const { name, subresource = '', object, oldObject, isFinal } = rest
    const route = { admission: this.#parts.admission(), scheme, gvk: main.gvk, gvr: resource, subresource }
    return new WriteAttributes({ route, context, name, dryRun: false, options: noOptions }, operation, { object, oldObject, isFinal })
  }

  #unsupported(verb: string, subresource = ''): unknown {
    const { group, resource } = this.#parts.resource
    return newMethodNotSupported({ group, resource: subresource === '' ? resource : `${resource}/${subresource}` }, verb)
  }
}

function written(result: RestResult): LoopbackWritten {
  return { object: () => readResult(result) }
}

function listRequest({ predicate = everyObject, resourceVersion = '0' }: LoopbackListOptions): ListRequest {
  return { predicate, resourceVersion, resourceVersionMatch: undefined, limit: 0, continue: '' }
}
