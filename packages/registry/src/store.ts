import { formatGroupVersion } from '@keelson/apimachinery'
import type { GroupVersionKind, KubeObject, RequestContext } from '@keelson/apimachinery'
import type { FieldFilter } from '@keelson/apimachinery/managed-fields'
import { hasFirstObject, isStoredObject } from '@keelson/storagebackend'
import type { FirstObjectOptions, ObjectList, ObjectWatch, Storage } from '@keelson/storagebackend'
import { exportObject, get, list, watch } from './read.ts'
import { listDeprecations } from './resource-definition.ts'
import type { ResourceDefinition, Strategy, SubresourceStrategy, DeprecationNotice, OtherVersions } from './resource-definition.ts'
import type { QuotaRules } from './quota-rules.ts'
import type {
  CollectionDeleter,
  Creater,
  CreateRequest,
  DeleteRequest,
  DeleteResult,
  Exporter,
  ExportRequest,
  Getter,
  GetRequest,
  GracefulDeleter,
  Lister,
  Listing,
  ListRequest,
  RESTStorage,
  RestResult,
  TableConvertor,
  Updater,
  UpdateRequest,
  UpdateResult,
  Watchable,
  WatchRequest,
} from './rest.ts'
import type { StoreDependencies, UpdatePlan } from './store-dependencies.ts'
import { createTableConvertor } from './table.ts'
import { deleteCollection } from './write/delete-collection.ts'
import type { DeletedCollection } from './write/delete-collection.ts'
import { deleteObject } from './write/delete.ts'
import { rewrite } from './write/commit.ts'
import type { Rewrite } from './write/commit.ts'
import type { Written } from './write/write-target.ts'
import { storeNew, update } from './write/write.ts'

/** The properties that the storages of a resource and its subresources have in common. */
class ResourceStorage<T extends KubeObject> implements RESTStorage {
  readonly gvk: GroupVersionKind
  readonly namespaced: boolean
  readonly singularName: string
  readonly shortNames: readonly string[]
  readonly categories: readonly string[]
  readonly listKind?: string
  readonly isCustom: boolean
  readonly getListing?: () => Listing
  readonly storedVersion: string
  readonly table: TableConvertor | undefined
  readonly specAnnotations: readonly string[] | undefined
  readonly fillBlank?: (object: KubeObject) => void
  readonly deprecations: Readonly<Record<string, DeprecationNotice>>
  readonly resetFields: FieldFilter | undefined
  readonly otherVersions: OtherVersions | undefined
  readonly quota: QuotaRules | undefined
  protected readonly dependencies: StoreDependencies<T>

  constructor(dependencies: StoreDependencies<T>, strategy: Pick<Strategy<T>, 'resetFields'>, tabled = true) {
    const { definition, gvk } = dependencies
    this.dependencies = dependencies
    this.gvk = gvk
    this.namespaced = definition.scope === 'Namespaced'
    this.singularName = definition.singular ?? definition.kind.toLowerCase()
    this.shortNames = definition.shortNames ?? []
    this.categories = definition.categories ?? []
    if (definition.listKind !== undefined) this.listKind = definition.listKind
    this.isCustom = definition.isCustom ?? false
    if (definition.getListing !== undefined) this.getListing = definition.getListing
    this.storedVersion = definition.storage?.version ?? definition.version
    this.table = tabled ? createTableConvertor(definition) : undefined
    this.specAnnotations = definition.specAnnotations
    if (definition.fillBlank !== undefined) this.fillBlank = definition.fillBlank as (object: KubeObject) => void
    this.deprecations = listDeprecations(definition)
    this.resetFields = strategy.resetFields
    this.otherVersions = definition.otherVersions
    this.quota = dependencies.quota
  }

  protected result(written: Written<T>): RestResult {
    if (isStoredObject(written)) return written
    const { group, version, kind } = this.gvk
    return { ...written, kind, apiVersion: formatGroupVersion({ group, version }) }
  }

  protected async change(plan: UpdatePlan<T>, context: RequestContext, name: string, request: UpdateRequest): Promise<UpdateResult> {
    const { object, created } = await update<T>(this.dependencies, plan, context, { name, request })
    return { object: this.result(object), created }
  }
}

/** The generic store of a resource with all verbs. It implements them with the resource's definition. */
export class Store<T extends KubeObject = KubeObject>
  extends ResourceStorage<T>
  implements Getter, Exporter, Lister, Watchable, Creater, Updater, GracefulDeleter, CollectionDeleter
{
  readonly definition: ResourceDefinition<T>
  declare readonly table: TableConvertor
  readonly returnsDeletedObject: boolean
  readonly #plan: UpdatePlan<T>

  constructor(dependencies: StoreDependencies<T>) {
    super(dependencies, dependencies.definition.strategy)
    this.definition = dependencies.definition
    this.returnsDeletedObject = dependencies.definition.returnsDeletedObject ?? false
    const { strategy } = dependencies.definition
    this.#plan = {
      strategy,
      repeatedMetadataChecks: strategy.repeatedMetadataChecks ?? 'all',
      allowCreateOnUpdate: strategy.allowCreateOnUpdate ?? false,
      allowUnconditionalUpdate: strategy.allowUnconditionalUpdate ?? true,
      applyCreates: true,
      begins: true,
    }
  }

  /** The wrapped storage. Metrics, readiness checks and subresources with their own code use it. */
  get storage(): Storage<T> {
    return this.dependencies.storage
  }

  async waitForFirstObject(options: FirstObjectOptions): Promise<void> {
    const { storage } = this
    if (hasFirstObject(storage)) await storage.waitForFirstObject(options)
  }

  get(context: RequestContext, name: string, options: GetRequest): Promise<RestResult> {
    return get(this.dependencies, context, name, options)
  }

  async export(context: RequestContext, name: string, request: ExportRequest): Promise<RestResult> {
    return exportObject(this.dependencies, context, await this.get(context, name, {}), request)
  }

  list(context: RequestContext, options: ListRequest): Promise<ObjectList> {
    return list(this.dependencies, context, options)
  }

  watch(context: RequestContext, options: WatchRequest, signal: AbortSignal): Promise<ObjectWatch> {
    return watch(this.dependencies, context, options, signal)
  }

  async create(context: RequestContext, object: KubeObject, options: CreateRequest): Promise<RestResult> {
    return this.result(await storeNew(this.dependencies, context, object as T, options))
  }

  update(context: RequestContext, name: string, request: UpdateRequest): Promise<UpdateResult> {
    return this.change(this.#plan, context, name, request)
  }

  async delete(context: RequestContext, name: string, request: DeleteRequest): Promise<DeleteResult> {
    this.definition.checkDelete?.(name)
    this.#warnOfDelete(context, request)
    const { object, ...how } = await deleteObject(this.dependencies, context, name, request)
    return { object: this.result(object), ...how }
  }

  async deleteCollection(context: RequestContext, request: DeleteRequest, options: ListRequest): Promise<DeletedCollection<T>> {
    this.#warnOfDelete(context, request)
    return deleteCollection(this.dependencies, context, request, options)
  }

  #warnOfDelete(context: RequestContext, { options }: DeleteRequest): void {
    for (const text of this.definition.strategy.warningsOnDelete?.(options) ?? []) context.warn(text)
  }

  /** Changes an object without strategy, managed fields and admission. Subresources that implement their own change use it (binding). */
  async rewrite(context: RequestContext, name: string, request: Rewrite<T>): Promise<RestResult> {
    return this.result(await rewrite(this.dependencies, context, name, request))
  }

  /**
   * Creates the storage of a subresource with its own update rules ("status"). It has PUT and PATCH, and GET unless the strategy excludes
   * it.
   */
  subresource(strategy: SubresourceStrategy<T>): RESTStorage & Updater & Partial<Getter> {
    const plan: UpdatePlan<T> = {
      strategy: strategy.update,
      ...(strategy.checkUpdate === undefined ? undefined : { checkUpdate: strategy.checkUpdate }),
      repeatedMetadataChecks: this.#plan.repeatedMetadataChecks === 'none' ? 'none' : 'update',
      allowCreateOnUpdate: strategy.allowCreateOnUpdate ?? false,
      allowUnconditionalUpdate: this.#plan.allowUnconditionalUpdate,
      applyCreates: false,
      begins: false,
    }
    const Path = strategy.get === false ? UpdateOnlySubresource : Subresource
    return new Path(this.dependencies, plan, strategy.tabled)
  }
}

class UpdateOnlySubresource<T extends KubeObject> extends ResourceStorage<T> implements Updater {
  readonly #plan: UpdatePlan<T>

  constructor(dependencies: StoreDependencies<T>, plan: UpdatePlan<T>, tabled?: boolean) {
    super(dependencies, plan.strategy, tabled)
    this.#plan = plan
  }

  update(context: RequestContext, name: string, request: UpdateRequest): Promise<UpdateResult> {
    return this.change(this.#plan, context, name, request)
  }
}

class Subresource<T extends KubeObject> extends UpdateOnlySubresource<T> implements Getter {
  get(context: RequestContext, name: string, options: GetRequest): Promise<RestResult> {
    return get(this.dependencies, context, name, options)
  }
}
