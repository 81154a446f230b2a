import type { GroupResource, GroupVersionKind, KubeObject, RequestContext } from '@keelson/apimachinery'
import type { Storage } from '@keelson/storagebackend'
import type { KeyFunctions } from './keys.ts'
import type { QuotaRules } from './quota-rules.ts'
import type { ResourceDefinition, Strategy, SubresourceStrategy, UpdateStrategy } from './resource-definition.ts'
import type { StoreHooks } from './write/store-hooks.ts'

/** The dependencies of every verb of one resource, from `completeWithOptions`. */
export interface StoreParts<T extends KubeObject> {
  readonly definition: ResourceDefinition<T>
  /** The hub. */
  readonly gvk: GroupVersionKind
  readonly resource: GroupResource
  readonly storage: Storage<T>
  readonly keys: KeyFunctions
  readonly hooks: StoreHooks<T>
  /** How resource quotas charge for the objects; undefined: not at all. */
  readonly quota: QuotaRules | undefined
  /** How long an object is kept after its last write; undefined: until it is deleted. */
  readonly ttlSeconds: number | undefined
  readonly deleteCollectionWorkers: number
  readonly enableGarbageCollection: boolean
  /** Milliseconds since the epoch. */
  readonly now: () => number
  readonly newUid: () => string
  readonly generateName: (base: string) => string
}

/** The rules of a PUT or PATCH: the resource's own strategy, or a subresource's. */
export interface UpdatePlan<T extends KubeObject> {
  readonly strategy: UpdateStrategy<T>
  readonly checkUpdate?: SubresourceStrategy<T>['checkUpdate']
  readonly repeatedMetadataChecks: NonNullable<Strategy<T>['repeatedMetadataChecks']>
  readonly allowCreateOnUpdate: boolean
  readonly allowUnconditionalUpdate: boolean
  /** False for subresources: an apply creates nothing that a PUT does not create. */
  readonly applyCreates: boolean
  /** False for subresources: their writes run no begin hooks. */
  readonly begins: boolean
}

/** The resource as the client named it (events.events.k8s.io for core events), for the texts of errors. */
export function qualifiedResource(parts: Pick<StoreParts<KubeObject>, 'resource'>, context: RequestContext): GroupResource {
  const { info } = context
  if (!info.isResourceRequest || info.resource === '') return parts.resource
  return { group: info.apiGroup, resource: info.resource }
}
