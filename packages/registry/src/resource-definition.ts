import { formatGroupVersion } from '@keelson/apimachinery'
import type {
  DeepReadonly,
  DeleteOptions,
  FieldErrorList,
  FieldLabelMessage,
  GroupVersion,
  KubeObject,
  RequestContext,
} from '@keelson/apimachinery'
import type { FieldFilter, KindSchema } from '@keelson/apimachinery/managed-fields'
import type { DefaultOnRead, LargeMember } from '@keelson/storagebackend'
import type { QuotaRules } from './quota-rules.ts'
import type { Listing, TableCell } from './rest.ts'
import type { ScaledBy } from './scale-subresource.ts'

/** Divides a long validation into expensive steps. `runValidation` spreads the steps over several turns of the event loop. */
export interface ValidationSteps {
  /**
   * Runs a step and returns its result, or returns undefined if the time of this turn is used up. After undefined, the errors of this call
   * are discarded. The validation is then called again in a later turn, where completed steps return their results at once. Each call must
   * run the same steps in the same order.
   */
  run<T>(step: () => T): T | undefined
}

/** The rules for creating, updating and deleting objects of a kind. All members are optional, and each comment names the default. */
export interface Strategy<T extends KubeObject> {
  /** Clears fields that clients may not set, and sets defaults. Default: nothing. */
  prepareForCreate?(context: RequestContext, object: T): void
  /** Validates a new object. `steps` comes from `runValidation`. Default: validates only the metadata. */
  validateCreate?(context: RequestContext, object: DeepReadonly<T>, steps?: ValidationSteps): FieldErrorList
  /**
   * Calls `validate` one or more times, and runs a few of its steps in each call, so that other requests run in between. Returns a promise
   * only if validation takes long. Default: one call without `steps`.
   */
  runValidation?(context: RequestContext, validate: (steps?: ValidationSteps) => FieldErrorList): FieldErrorList | Promise<FieldErrorList>
  warningsOnCreate?(context: RequestContext, object: DeepReadonly<T>): readonly string[] | Promise<readonly string[]>
  /**
   * Removes fields that another cluster sets itself, for `?export=true`. Runs after `prepareForCreate`. Throws `ApiError` to refuse the
   * export. Default: nothing.
   */
  prepareForExport?(object: T, exact: boolean): void
  /** Normalizes a valid object before it is stored. Default: nothing. */
  canonicalize?(object: T): void
  /** Resets fields that clients may not change. `old` is the stored object. Default: nothing. */
  prepareForUpdate?(context: RequestContext, object: T, old: DeepReadonly<T>): void
  validateUpdate?(context: RequestContext, object: DeepReadonly<T>, old: DeepReadonly<T>, steps?: ValidationSteps): FieldErrorList
  warningsOnUpdate?(context: RequestContext, object: DeepReadonly<T>, old: DeepReadonly<T>): readonly string[] | Promise<readonly string[]>
  /** Fields that `prepareForCreate` and `prepareForUpdate` reset. Field managers never own these fields. Default: none. */
  resetFields?: FieldFilter
  /** Whether a PUT of an absent object creates the object. Default: false. */
  allowCreateOnUpdate?: boolean
  /** Whether a PUT without a resourceVersion overwrites the object. Default: true. */
  allowUnconditionalUpdate?: boolean
  /**
   * Returns true if the object must be deleted after a grace period. May set `options.gracePeriodSeconds`. Default: objects are deleted at
   * once.
   */
  checkGracefulDelete?(context: RequestContext, object: DeepReadonly<T>, options: DeleteOptions): boolean
  /** Returns warnings about the options of a DELETE, even if nothing is deleted. Default: none. */
  warningsOnDelete?(options: DeleteOptions): readonly string[]
  /**
   * The propagation policy of a DELETE without a policy. "unsupported" ignores the policy of every DELETE (events). Default: "background".
   */
  defaultPropagation?: 'background' | 'orphan' | 'unsupported'
  /**
   * The metadata checks that run twice on update. kube-apiserver checks the metadata of every resource, and the rules of many kinds check
   * it again, so each error is reported twice. "update" repeats only the checks for immutable fields (namespaces, all subresources).
   * "create" repeats only the rules for new objects. Default: "all".
   */
  repeatedMetadataChecks?: 'all' | 'update' | 'create' | 'none'
}

/** The members of a strategy that apply to updates. */
export type UpdateStrategy<T extends KubeObject> = Pick<
  Strategy<T>,
  'prepareForUpdate' | 'validateUpdate' | 'runValidation' | 'warningsOnUpdate' | 'canonicalize' | 'resetFields'
>

/** The rules of a subresource that updates a part of the resource's objects ("status"). */
export interface SubresourceStrategy<T extends KubeObject> {
  /** The rules for PUT and PATCH of the subresource. */
  readonly update: UpdateStrategy<T>
  /** Checks a rule that depends on other objects. Runs after all other rules. Throws `ApiError` to refuse the update. Default: no check. */
  checkUpdate?(this: void, context: RequestContext, object: DeepReadonly<T>, old: DeepReadonly<T>): Promise<void> | void
  /** Whether a PUT of an absent object creates the object. Replaces the setting of the resource itself. Default: false. */
  readonly allowCreateOnUpdate?: boolean
  /**
   * Whether the subresource has GET, which returns the whole object. For a GET with another kind, use a `SubresourceFactory`. Default:
   * true.
   */
  readonly get?: boolean
  /** Whether GET can return the object as a Table. Default: true. */
  readonly tabled?: boolean
}

/** A column of a resource's Tables. */
export interface Column<T extends KubeObject> {
  readonly name: string
  readonly type?: 'string' | 'integer' | 'number' | 'boolean' | 'date'
  readonly format?: string
  /** 0 for a column that is always shown, 1 for a column that only `-o wide` shows. Default: 0. */
  readonly priority?: number
  readonly description?: string
  /** Whether the Table omits the column, but its rows have a cell for it, as in some Tables of kube-apiserver. Default: false. */
  readonly isUnlisted?: boolean
  value(object: DeepReadonly<T>, now: number): TableCell
}

/** Adjacent columns with the same priority whose cells are computed together (pods: Ready, Status and Restarts). */
export interface ColumnGroup<T extends KubeObject> {
  readonly columns: readonly Omit<Column<T>, 'value' | 'isUnlisted' | 'priority'>[]
  /** The priority of all columns of the group, see `Column.priority`. Default: 0. */
  readonly priority?: number
  /** Returns the cells of one object, one for each column of the group. */
  row(object: DeepReadonly<T>, now: number): readonly TableCell[]
}

/** The storage settings of a resource. */
export interface StorageFacts<T extends KubeObject = KubeObject> {
  /** The version of the resource's objects in a store that is shared with kube-apiserver. Default: the hub version. */
  readonly version?: string
  /**
   * The defaults and conversions of `version`, if its fields differ from those of the hub version. Only resources that are stored as JSON
   * may have conversions. Default: only the name of the version differs.
   */
  readonly conversion?: Pick<ServedVersion, 'setDefaults' | 'toHub' | 'fromHub'>
  /** The key prefix of the objects below the storage root, the same as in kube-apiserver. Default: the plural name. */
  readonly prefix?: string
  /**
   * The selectable field that most watchers use (pods: spec.nodeName). The watch cache indexes its watchers by this field. Default: none.
   */
  readonly triggerField?: string
  /** The time to live of an object after its last write, in seconds. The server's options can set another one. Default: unlimited. */
  readonly ttlSeconds?: number
  /** Whether a watch cache serves reads. The server's options can override this. Default: true. */
  readonly watchCache?: boolean
  /** Defaults that are set when an object is read, because the strategy removes them before storing. Default: none. */
  readonly defaultOnRead?: DefaultOnRead<T>
  /** A large member that is decoded on first use, so that writes that do not concern it are fast. Default: objects are decoded as a whole. */
  readonly largeMember?: LargeMember
  /**
   * Returns an object as it would be read after it was stored, for the response to a dry run. Default: the object, with the defaults of
   * `defaultOnRead`.
   */
  convertOnRead?(this: void, object: T): T | Promise<T>
}

/** Another served version of a resource, and its differences from the hub version. */
export interface ServedVersion extends GroupVersion {
  /** The deprecation of this version. Requests for it get a warning. Default: none. */
  readonly deprecated?: Deprecation
  /** Sets defaults of this version in place. Default: the definition's `setDefaults`. */
  setDefaults?(this: void, object: KubeObject): void
  /** Converts an object to the hub version. May change and return its argument. Default: returns the object unchanged. */
  toHub?(this: void, object: KubeObject): KubeObject
  /** Converts an object from the hub version. Must not change its argument. Default: returns the object unchanged. */
  fromHub?(this: void, object: DeepReadonly<KubeObject>): KubeObject
  /** The field labels of this version, each with the field's name in the hub version. Default: the labels of the hub version. */
  readonly fieldLabels?: Readonly<Record<string, string>>
}

/** The versions of a kind in which other resources serve the same objects. The keys of versions are apiVersions: "example.com/v2". */
export interface OtherVersions {
  /** Returns the schemas of the kind in a version; undefined if the kind does not have that version. */
  findSchema(apiVersion: string): KindSchema | undefined
  /** Returns whether the resource has a subresource ("status") in a version. */
  hasSubresource(apiVersion: string, subresource: string): boolean
  /**
   * Returns all versions in which the resource has a subresource, or in which it exists for "". They are in the order of the definition and
   * include those that are not served.
   */
  listSubresourceVersions(subresource: string): readonly string[]
  /** Converts an object without kind and apiVersion. Must not modify its argument. Returns a promise if a webhook converts the object. */
  convert(object: KubeObject, from: string, to: string): KubeObject | Promise<KubeObject>
}

/**
 * A resource as plain data and pure functions. Routes, discovery, OpenAPI, the store, Table output and shared tests are derived from a
 * definition.
 */
export interface ResourceDefinition<T extends KubeObject = KubeObject> {
  /** The group, version and kind of the hub version, in which objects are validated and stored. */
  readonly group: string
  readonly version: string
  readonly kind: string
  /** The kind of lists of the objects. Default: the kind followed by "List". */
  readonly listKind?: string
  /**
   * Whether a CustomResourceDefinition defines the resource. Its lists and its entries in discovery have the form that kube-apiserver uses for
   * custom resources. Default: false.
   */
  readonly isCustom?: boolean
  /** Returns how discovery and OpenAPI list the resource at the moment. Default: completely. */
  readonly getListing?: () => Listing
  readonly plural: string
  /** The singular name. Default: the kind in lower case. */
  readonly singular?: string
  readonly scope: 'Namespaced' | 'Cluster'
  readonly shortNames?: readonly string[]
  readonly categories?: readonly string[]
  /**
   * Other versions in which the same objects are served, in order of preference (core events are also served as events.k8s.io/v1). The
   * server's options enable them.
   */
  readonly alsoServedAs?: readonly ServedVersion[]
  /**
   * The versions of the kind that are resources of their own, as those of a custom resource. Managers that wrote in one of these versions keep
   * their fields. Default: none.
   */
  readonly otherVersions?: OtherVersions
  /** Sets defaults right after decoding, before all other steps. Default: nothing. */
  readonly setDefaults?: (object: T) => void
  /**
   * Converts alternative fields to the stored ones, after defaults are set (secrets: `stringData`). May change its argument. Default:
   * nothing.
   */
  readonly normalize?: (object: T) => T
  readonly strategy: Strategy<T>
  /** Annotations that PartialObjectMetadata leaves out, because kube-apiserver keeps them in the internal spec. Default: none. */
  readonly specAnnotations?: readonly string[]
  /** The warning for requests that use the resource in the hub version. Default: none. */
  readonly deprecation?: string
  /** Validates a name and returns error messages. `prefix` is true if the name is a generateName. Default: a DNS subdomain. */
  readonly validateName?: (name: string, prefix: boolean) => readonly string[]
  /** Generates a name from a generateName. Default: appends five random characters. */
  readonly generateName?: (base: string) => string
  /**
   * Selectable fields besides metadata.name and metadata.namespace. Each function returns the field's value, or "" if the field is unset.
   */
  readonly selectableFields?: Readonly<Record<string, (object: DeepReadonly<T>) => string>>
  /** Additional labels for field selectors, each with the name of the selected field. Default: none. */
  readonly fieldLabels?: Readonly<Record<string, string>>
  /** Returns the error for a field selector with an unknown label. Default: the error says that the label is not supported. */
  readonly refuseFieldLabel?: FieldLabelMessage
  /**
   * The columns between Name and Age. Columns with a priority above 0 come after Age. Default: Name and Created At, as for kinds without a
   * printer in kube-apiserver.
   */
  readonly columns?: readonly (Column<T> | ColumnGroup<T>)[]
  /** Replaces all columns, including Name and Age (events). */
  readonly allColumns?: readonly Column<T>[]
  readonly getTableConditions?: (object: DeepReadonly<T>) => readonly { type: string; status: string; reason?: string; message?: string }[]
  readonly subresources?: Readonly<Record<string, SubresourceStrategy<T>>>
  /**
   * The rules for resource quotas. 'none' excludes the resource from quotas (events). Default: counts objects as "count/<plural>.<group>".
   */
  readonly quota?: QuotaRules<T> | 'none'
  /** The fields that the subresource `scale` reads and writes. Default: the resource has no `scale`. */
  readonly scale?: ScaledBy<T>
  /** Sets fields that kube-apiserver prints even in an empty object of the kind, for example in bookmarks. Default: nothing. */
  readonly fillBlank?: (object: T) => void
  /** Verbs that the resource does not have (namespaces have no deletecollection). Default: none. */
  readonly withoutVerbs?: readonly ('deletecollection' | 'watch' | 'list' | 'update' | 'patch' | 'delete' | 'create')[]
  /** Whether DELETE returns the object instead of a Status. Default: false. */
  readonly returnsDeletedObject?: boolean
  readonly storage?: StorageFacts<T>
  /** Refuses to delete the object of this name by throwing an `ApiError`. Not called by deletecollection, as in kube-apiserver. */
  readonly checkDelete?: (name: string) => void
  /** The rules for deleting objects in two steps. Default: objects are deleted in one step. */
  readonly deletion?: DeletionPolicy<T>
}

/**
 * The rules for deleting an object in two steps (namespaces, CustomResourceDefinitions). The first step marks the object. The second
 * removes it when its own finalizers are gone.
 */
export interface DeletionPolicy<T extends KubeObject> {
  /** Changes the object for its deletion, for example sets the phase Terminating. Runs after deletionTimestamp is set. */
  beginDelete(object: T): void
  /** Returns true if only `metadata.finalizers` can still prevent the removal, for example because spec.finalizers is empty. */
  isReadyToRemove(object: DeepReadonly<T>): boolean
  /** Whether the first step ignores the propagation policy in the options of the DELETE. Default: false. */
  readonly ignoresPropagation?: boolean
  /** Whether deletecollection deletes objects in one step, as in kube-apiserver for CustomResourceDefinitions. Default: false. */
  readonly skipsCollections?: boolean
}

/**
 * Returns the definition unchanged. Callers use it so that TypeScript checks the definition's functions against the type of the objects.
 */
export function defineResource<T extends KubeObject>(definition: ResourceDefinition<T>): ResourceDefinition<T> {
  return definition
}

/** The releases that deprecate and remove a version. */
interface Deprecation {
  /** The release that deprecates the version: "1.34". */
  readonly since: string
  /** The first release without the version: "1.37". */
  readonly gone: string
  /** The version to use instead: "storage.k8s.io/v1". Default: the warning names no replacement. */
  readonly replacement?: string
}

/** The warning about a deprecated version. */
export interface DeprecationNotice {
  /** The warning text that clients of the deprecated version get. */
  readonly warning: string
  /** The first release without the version: "1.37". Absent if that release is not known. */
  readonly gone?: string
}

/** Returns the deprecation warnings of a resource, with the apiVersion as the key. */
export function listDeprecations<T extends KubeObject>(definition: ResourceDefinition<T>): Readonly<Record<string, DeprecationNotice>> {
  const { kind, deprecation, alsoServedAs = [] } = definition
  const versions = alsoServedAs.flatMap((served) => {
    const apiVersion = formatGroupVersion(served)
    if (served.deprecated === undefined) return []
    const notice: DeprecationNotice = { warning: formatDeprecation(apiVersion, kind, served.deprecated), gone: served.deprecated.gone }
    return [[apiVersion, notice] as const]
  })
  const hub = deprecation === undefined ? [] : [[formatGroupVersion(definition), { warning: deprecation }] as const]
  return Object.fromEntries([...hub, ...versions])
}

function formatDeprecation(apiVersion: string, kind: string, { since, gone, replacement }: Deprecation): string {
  const instead = replacement === undefined ? '' : `; use ${replacement} ${kind}`
  return `${apiVersion} ${kind} is deprecated in v${since}+, unavailable in v${gone}+${instead}`
}
