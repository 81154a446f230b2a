import {
  generateName,
  newUid,
  systemClock,
  isDNS1123Label,
  isPathSegmentName,
  newBadRequest,
  quote,
  isApiError,
} from '@keelson/apimachinery'
import type { GroupResource, GroupVersionKind, KubeObject, RequestContext, DeepReadonly, FieldSelector } from '@keelson/apimachinery'
import { isStorageError } from '@keelson/storagebackend'
import type { Storage } from '@keelson/storagebackend'
import type { ApiTypes } from '@keelson/api'
import { formatInternalTypeName } from './internal-type-name.ts'
import { countObjects } from './quota-rules.ts'
import type { QuotaRules } from './quota-rules.ts'
import type { ResourceDefinition, Strategy, SubresourceStrategy, UpdateStrategy } from './resource-definition.ts'
import type { RESTOptions, RESTOptionsGetter } from './rest-options.ts'

/** The dependencies of a resource's store, which its verbs share. `completeWithOptions` creates them. */
export interface StoreDependencies<T extends KubeObject> {
  readonly definition: ResourceDefinition<T>
  /** The kind in the hub version. */
  readonly gvk: GroupVersionKind
  readonly resource: GroupResource
  readonly storage: Storage<T>
  readonly keys: KeyFunctions
  readonly hooks: StoreHooks<T>
  /** The quota rules of the objects. Undefined: quotas ignore the objects. */
  readonly quota: QuotaRules | undefined
  /** The time to live of objects after their last write, in seconds. Undefined: unlimited. */
  readonly ttlSeconds: number | undefined
  readonly deleteCollectionWorkers: number
  readonly enableGarbageCollection: boolean
  /** Returns the time in milliseconds since the epoch. */
  readonly now: () => number
  readonly newUid: () => string
  readonly generateName: (base: string) => string
}

/** The rules for a PUT or PATCH of a resource or a subresource. */
export interface UpdatePlan<T extends KubeObject> {
  readonly strategy: UpdateStrategy<T>
  readonly checkUpdate?: SubresourceStrategy<T>['checkUpdate']
  readonly repeatedMetadataChecks: NonNullable<Strategy<T>['repeatedMetadataChecks']>
  readonly allowCreateOnUpdate: boolean
  readonly allowUnconditionalUpdate: boolean
  /** Whether a server-side apply may create the object even if a PUT may not. False for subresources. */
  readonly applyCreates: boolean
  /** Whether the write calls the hook `beginUpdate`. False for subresources. */
  readonly begins: boolean
}

/** Returns the resource under the name that the client used, for error messages. For core events that may be events.events.k8s.io. */
export function qualifyResource(dependencies: Pick<StoreDependencies<KubeObject>, 'resource'>, context: RequestContext): GroupResource {
  const { attributes } = context
  if (!attributes.isResourceRequest || attributes.resource === '') return dependencies.resource
  return { group: attributes.apiGroup, resource: attributes.resource }
}

/** The options of a store. Clock, uids and names have defaults. */
export interface StoreOptions<T extends KubeObject = KubeObject> {
  readonly restOptions: RESTOptionsGetter
  readonly types: ApiTypes
  /** Returns the time in milliseconds since the epoch. Default: the clock of `restOptions`. */
  readonly now?: () => number
  readonly newUid?: () => string
  readonly generateName?: (base: string) => string
  /** Creates the hooks that run side effects of writes. Default: no hooks. */
  readonly hooks?: StoreHooksFactory<T>
}

/**
 * Fills in the defaults of a store's options and creates its dependencies. Throws a plain Error that names the resource and the missing or
 * invalid option.
 */
export function completeWithOptions<T extends KubeObject>(
  definition: ResourceDefinition<T>,
  options: StoreOptions<T>,
): StoreDependencies<T> {
  const subject = describe(definition)
  throwIf(definition.plural === '', `store for ${subject} must have a non-empty qualified resource`)
  throwIf(definition.kind === '', `store for ${subject} must have a kind`)
  throwIf(definition.strategy === undefined, `store for ${subject} must have a strategy`)
  throwIf(options.restOptions === undefined, `options for ${subject} must have restOptions set`)
  throwIf(options.types === undefined, `options for ${subject} must have types set`)
  const { group, version, kind } = definition
  const gvk = { group, version, kind }
  const type = options.types.kind(gvk)
  if (type === undefined) throw new Error(`store for ${subject}: unknown type ${group === '' ? '' : `${group}/`}${version} ${kind}`)
  const resource = { group, resource: definition.plural }
  const restOptions = options.restOptions.getRESTOptions(resource, definition.storage)
  const prefix = formatKeyPrefix(subject, restOptions)
  const namespaced = definition.scope === 'Namespaced'
  const selectableFields = { ...createMetadataFields(namespaced), ...definition.selectableFields } as Record<
    string,
    (object: DeepReadonly<T>) => string
  >
  const triggerField = definition.storage?.triggerField
  throwIf(
    triggerField !== undefined && !Object.hasOwn(selectableFields, triggerField),
    `store for ${subject}: the trigger field ${triggerField} must be selectable`,
  )
  const storage = restOptions.decorator<T>({
    backend: restOptions.backend,
    codec: restOptions.createCodec<T>({
      kind: type,
      selectableFields,
      defaultOnRead: definition.storage?.defaultOnRead,
      largeMember: definition.storage?.largeMember,
      ...(definition.storage?.version !== undefined && { storedVersion: definition.storage.version }),
    }),
    resource,
    typeName: formatInternalTypeName({ hub: gvk, type }),
    prefix: `${prefix}/`,
    ...(triggerField === undefined ? {} : { triggerField }),
    ...(restOptions.transformer === undefined ? {} : { transformer: restOptions.transformer }),
    ...(restOptions.metrics === undefined ? {} : { metrics: restOptions.metrics }),
    ...(restOptions.now === undefined ? {} : { now: restOptions.now }),
  })
  return {
    definition,
    gvk,
    resource,
    storage,
    keys: namespaced ? createNamespacedKeys(prefix) : createClusterKeys(prefix),
    hooks: options.hooks?.(storage, `${prefix}/`) ?? {},
    quota: definition.quota === 'none' ? undefined : (definition.quota ?? countObjects(resource)),
    ttlSeconds: restOptions.ttlSeconds,
    deleteCollectionWorkers: Math.max(1, restOptions.deleteCollectionWorkers),
    enableGarbageCollection: restOptions.enableGarbageCollection ?? true,
    now: options.now ?? restOptions.now ?? systemClock.now,
    newUid: options.newUid ?? newUid,
    generateName: definition.generateName ?? options.generateName ?? ((base) => generateName(base)),
  }
}

function formatKeyPrefix(subject: string, { resourcePrefix }: RESTOptions): string {
  const prefix = resourcePrefix.startsWith('/') ? resourcePrefix : `/${resourcePrefix}`
  throwIf(prefix === '/' || prefix.endsWith('/'), `store for ${subject} has an invalid prefix ${JSON.stringify(resourcePrefix)}`)
  return prefix
}

function createMetadataFields(namespaced: boolean): Record<string, (object: DeepReadonly<KubeObject>) => string> {
  const name = (object: DeepReadonly<KubeObject>): string => object.metadata.name ?? ''
  const readNamespace = (object: DeepReadonly<KubeObject>): string => object.metadata.namespace ?? ''
  return namespaced ? { 'metadata.name': name, 'metadata.namespace': readNamespace } : { 'metadata.name': name }
}

function describe({ group, plural }: Pick<ResourceDefinition, 'group' | 'plural'>): string {
  return group === '' ? plural : `${plural}.${group}`
}

function throwIf(isInvalid: boolean, message: string): void {
  if (isInvalid) throw new Error(message)
}

/** Computes the keys of a resource's objects. */
export interface KeyFunctions {
  /** Returns the prefix of all keys in the context's namespace, or in all namespaces if the context has none. The prefix ends with "/". */
  createRootKey(context: Pick<RequestContext, 'namespace'>): string
  /** Returns the key of one object. Throws BadRequest for a missing namespace or name, and for a name that is not a valid path segment. */
  createKey(context: Pick<RequestContext, 'namespace'>, name: string): string
}

/** Creates the keys of a namespaced resource. `prefix` has no final slash: "/registry/configmaps" → "/registry/configmaps/NAMESPACE/NAME". */
export function createNamespacedKeys(prefix: string): KeyFunctions {
  return {
    createRootKey: ({ namespace }) => (namespace === '' ? `${prefix}/` : `${prefix}/${namespace}/`),
    createKey: ({ namespace }, name) => {
      if (namespace === '') throw newBadRequest('Namespace parameter required.')
      return `${prefix}/${namespace}/${requireName(name)}`
    },
  }
}

/** Creates the keys of a cluster-wide resource. `prefix` has no final slash: "/registry/nodes" → "/registry/nodes/NAME". */
export function createClusterKeys(prefix: string): KeyFunctions {
  return {
    createRootKey: () => `${prefix}/`,
    createKey: (_context, name) => `${prefix}/${requireName(name)}`,
  }
}

function requireName(name: string): string {
  if (name === '') throw newBadRequest('Name parameter required.')
  const messages = isPathSegmentName(name)
  if (messages.length > 0) throw newBadRequest(`Name parameter invalid: ${quote(name)}: ${messages.join(';')}`)
  return name
}

/**
 * The keys that a list or watch reads: one key if the selector names one object, otherwise all keys with a prefix. A list with a continue
 * token always reads a prefix.
 */
interface ReadRange {
  readonly key: string
  readonly recursive: boolean
}

/** Returns the keys that a list or watch must read. */
export function readRange(
  keys: KeyFunctions,
  context: Pick<RequestContext, 'namespace'>,
  fields: FieldSelector,
  continued = false,
): ReadRange {
  const namespace = context.namespace === '' ? (fields.requiresExactMatch('metadata.namespace') ?? '') : context.namespace
  const effective = { namespace: isDNS1123Label(namespace).length === 0 ? namespace : context.namespace }
  const name = continued ? undefined : fields.requiresExactMatch('metadata.name')
  if (name !== undefined && name !== '') {
    try {
      return { key: keys.createKey(effective, name), recursive: false }
    } catch {
      // The name or namespace is not valid in a key. Read the whole prefix instead, and let the predicate select.
    }
  }
  return { key: keys.createRootKey(effective), recursive: true }
}

/**
 * Finishes a begin hook. With `success` the hook keeps its allocations, otherwise it releases them. Called at most once. Not called if the
 * outcome of the write is unknown because the store became unreachable, since the allocations may be in use. It must not throw.
 */
export type FinishHook = (success: boolean) => Promise<void> | void

export interface HookOptions {
  readonly dryRun: boolean
}

/**
 * Side effects of a resource's writes, for example services allocate IP addresses and ports. `beginCreate` and `beginUpdate` run before the
 * strategy and validation. On a create, the object already has its name, uid and creation time. Both may change `object`, and throw an
 * `ApiError` to refuse the write. If a concurrent write came first, the hook is finished with false, and runs again for the next attempt.
 */
export interface StoreHooks<T extends KubeObject> {
  /**
   * Checks a write, and refuses it by throwing an `ApiError`. Runs before a name is generated and before versions are compared. `old` is
   * undefined if the write creates the object. Not called for subresources.
   */
  check?(context: RequestContext, object: T, old: DeepReadonly<T> | undefined): Promise<void> | void
  beginCreate?(context: RequestContext, object: T, options: HookOptions): Promise<FinishHook> | FinishHook
  /** Runs before an update of the resource itself. Not called for updates of its subresources. */
  beginUpdate?(context: RequestContext, object: T, old: DeepReadonly<T>, options: HookOptions): Promise<FinishHook> | FinishHook
  /**
   * Runs once for each removed object, after a delete or after its last finalizer is removed. Never runs in a dry run. It must not throw.
   */
  afterDelete?(object: DeepReadonly<T>): Promise<void> | void
}

/** Creates the hooks of a store. The hooks may read `storage`, where all keys start with `prefix`, but must not write to it. */
export type StoreHooksFactory<T extends KubeObject> = (storage: Storage<T>, prefix: string) => StoreHooks<T>

/** The begin hook of one write, from its start until it is finished. */
export class PendingHook {
  #finish: FinishHook | undefined

  /** True if the hook has begun and is not finished yet. */
  get isPending(): boolean {
    return this.#finish !== undefined
  }

  async begin(start: () => Promise<FinishHook> | FinishHook): Promise<void> {
    this.#finish = await start()
  }

  async succeed(): Promise<void> {
    await this.#end(true)
  }

  async fail(error: unknown): Promise<void> {
    if (isRefusal(error)) await this.#end(false)
    else this.#finish = undefined
  }

  /** Finishes the hook with false, because the write was not sent to the storage or is attempted again. */
  async abandon(): Promise<void> {
    await this.#end(false)
  }

  async #end(success: boolean): Promise<void> {
    const finish = this.#finish
    this.#finish = undefined
    await finish?.(success)
  }
}

/** Returns true if the error proves that nothing was written. */
function isRefusal(error: unknown): boolean {
  if (isStorageError(error)) return error.code !== 'Unreachable'
  return isApiError(error) || (error instanceof Error && error.name === 'AbortError')
}
