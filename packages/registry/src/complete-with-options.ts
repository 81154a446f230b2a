import type { ApiTypes } from '@keelson/api'
import { generateName, newUid, systemClock } from '@keelson/apimachinery'
import type { DeepReadonly, KubeObject } from '@keelson/apimachinery'
import { clusterKeys, namespacedKeys } from './keys.ts'
import { countObjects } from './quota-rules.ts'
import type { ResourceDefinition } from './resource-definition.ts'
import type { RESTOptions, RESTOptionsGetter } from './rest-options.ts'
import type { StoreHooksFactory } from './write/store-hooks.ts'
import type { StoreParts } from './store-parts.ts'

/** The dependencies of a store. Clock, uids and names have real defaults. */
export interface StoreOptions<T extends KubeObject = KubeObject> {
  readonly restOptions: RESTOptionsGetter
  readonly types: ApiTypes
  /** Milliseconds since the epoch. Default: `restOptions`'. */
  readonly now?: () => number
  readonly newUid?: () => string
  readonly generateName?: (base: string) => string
  /** For resources that take something from elsewhere when they are written. Default: none. */
  readonly hooks?: StoreHooksFactory<T>
}

/** Fills in what a store works with. Throws a plain Error, naming the resource, when something it needs is missing or wrong. */
export function completeWithOptions<T extends KubeObject>(definition: ResourceDefinition<T>, options: StoreOptions<T>): StoreParts<T> {
  const subject = describe(definition)
  complain(definition.plural === '', `store for ${subject} must have a non-empty qualified resource`)
  complain(definition.kind === '', `store for ${subject} must have a kind`)
  complain(definition.strategy === undefined, `store for ${subject} must have a strategy`)
  complain(options.restOptions === undefined, `options for ${subject} must have restOptions set`)
  complain(options.types === undefined, `options for ${subject} must have types set`)
  const { group, version, kind } = definition
  const gvk = { group, version, kind }
  const type = options.types.kind(gvk)
  if (type === undefined) throw new Error(`store for ${subject}: no type is known for ${group === '' ? '' : `${group}/`}${version} ${kind}`)
  const resource = { group, resource: definition.plural }
  const restOptions = options.restOptions.getRESTOptions(resource, definition.storage)
  const prefix = keyPrefix(subject, restOptions)
  const namespaced = definition.scope === 'Namespaced'
  const selectableFields = { ...metadataFields(namespaced), ...definition.selectableFields } as Record<
    string,
    (object: DeepReadonly<T>) => string
  >
  const triggerField = definition.storage?.triggerField
  complain(
    triggerField !== undefined && !Object.hasOwn(selectableFields, triggerField),
    `store for ${subject}: the trigger field ${triggerField} must be selectable`,
  )
  const storage = restOptions.decorator<T>({
    backend: restOptions.backend,
    codec: restOptions.createCodec<T>({
      kind: type,
      selectableFields,
      defaultOnRead: definition.storage?.defaultOnRead,
      ...(definition.storage?.version !== undefined && { storedVersion: definition.storage.version }),
    }),
    resource,
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
    keys: namespaced ? namespacedKeys(prefix) : clusterKeys(prefix),
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

function keyPrefix(subject: string, { resourcePrefix }: RESTOptions): string {
  const prefix = resourcePrefix.startsWith('/') ? resourcePrefix : `/${resourcePrefix}`
  complain(prefix === '/' || prefix.endsWith('/'), `store for ${subject} has an invalid prefix ${JSON.stringify(resourcePrefix)}`)
  return prefix
}

function metadataFields(namespaced: boolean): Record<string, (object: DeepReadonly<KubeObject>) => string> {
  const name = (object: DeepReadonly<KubeObject>): string => object.metadata.name ?? ''
  const namespace = (object: DeepReadonly<KubeObject>): string => object.metadata.namespace ?? ''
  return namespaced ? { 'metadata.name': name, 'metadata.namespace': namespace } : { 'metadata.name': name }
}

function describe({ group, plural }: Pick<ResourceDefinition, 'group' | 'plural'>): string {
  return group === '' ? plural : `${plural}.${group}`
}

function complain(wrong: boolean, message: string): void {
  if (wrong) throw new Error(message)
}
