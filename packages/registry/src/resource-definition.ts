import { formatGroupVersion } from '@keelson/apimachinery'
import type {
  DeepReadonly,
  DeleteOptions,
  FieldErrorList,
  FieldLabelRefusal,
  GroupVersion,
  KubeObject,
  RequestContext,
} from '@keelson/apimachinery'
import type { FieldFilter } from '@keelson/apimachinery/managed-fields'
import type { DefaultOnRead } from '@keelson/storagebackend'
import type { QuotaRules } from './quota-rules.ts'
import type { TableCell } from './rest.ts'
import type { ScaledBy } from './scale-subresource.ts'

/** The expensive steps of one validation. `runValidation` spreads them over several turns of the event loop. */
export interface ValidationSteps {
  /**
   * Returns the result of a step. If it is undefined, the step has to wait for a later slice: this call's errors are discarded, and the validation is
   * called again, where completed steps return their results. Each call must run the same steps in the same order.
   */
  run<T>(step: () => T): T | undefined
}

/** The rules for creating, updating and deleting objects of a kind. Every hook is optional, and its comment names the default. */
export interface Strategy<T extends KubeObject> {
  /** Clears fields that clients may not set, and sets defaults. Default: nothing. */
  prepareForCreate?(context: RequestContext, object: T): void
  /** Validates a new object. `steps` comes from `runValidation`. Default: only the metadata is validated. */
  validateCreate?(context: RequestContext, object: DeepReadonly<T>, steps?: ValidationSteps): FieldErrorList
  /**
   * Calls `validate` one or more times with the steps of one slice each, so that other requests run in between. Returns a promise only if validation
   * takes long. Default: one call without `steps`.
   */
  runValidation?(context: RequestContext, validate: (steps?: ValidationSteps) => FieldErrorList): FieldErrorList | Promise<FieldErrorList>
  warningsOnCreate?(context: RequestContext, object: DeepReadonly<T>): readonly string[]
  /**
   * Drops fields that another cluster sets itself, for `?export=true`. Runs after `prepareForCreate`. Throws `ApiError` to refuse. Default: nothing.
   */
  prepareForExport?(object: T, exact: boolean): void
  /** Normalizes a valid object before it is stored. Default: nothing. */
  canonicalize?(object: T): void
  /** Resets fields that clients may not change. `old` is the stored object. Default: nothing. */
  prepareForUpdate?(context: RequestContext, object: T, old: DeepReadonly<T>): void
  validateUpdate?(context: RequestContext, object: DeepReadonly<T>, old: DeepReadonly<T>, steps?: ValidationSteps): FieldErrorList
  warningsOnUpdate?(context: RequestContext, object: DeepReadonly<T>, old: DeepReadonly<T>): readonly string[]
  /** Fields that `prepareForCreate` and `prepareForUpdate` reset. Managers never own them. Default: none. */
  resetFields?: FieldFilter
  /** Whether PUT of an absent object creates it. Default: false. */
  allowCreateOnUpdate?: boolean
  /** Whether PUT without a resourceVersion overwrites the object. Default: true. */
  allowUnconditionalUpdate?: boolean
  /** Returns true if the object is deleted after a grace period. May set `options.gracePeriodSeconds`. Default: objects are deleted at once. */
  checkGracefulDelete?(context: RequestContext, object: DeepReadonly<T>, options: DeleteOptions): boolean
  /** Returns warnings about the options of a DELETE, even if nothing is deleted. Default: none. */
  warningsOnDelete?(options: DeleteOptions): readonly string[]
  /** The propagation policy if a DELETE has none. "unsupported" ignores every policy (events). Default: "background". */
  defaultPropagation?: 'background' | 'orphan' | 'unsupported'
  /**
   * The metadata checks that run twice on update. kube-apiserver checks metadata for every resource, and again in the rules of many kinds, so it
   * reports each error twice. "update" repeats only the checks for immutable fields (namespaces, all subresources), "create" only the rules for new
   * objects. Default: "all".
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
  /** Checks a rule that depends on other objects. Runs after all other rules. Throws `ApiError` to refuse. Default: no check. */
  checkUpdate?(this: void, context: RequestContext, object: DeepReadonly<T>, old: DeepReadonly<T>): Promise<void> | void
  /** Whether PUT of an absent object creates it. The setting of the resource itself does not apply. Default: false. */
  readonly allowCreateOnUpdate?: boolean
  /**
   * Whether the subresource has GET, which returns the whole object. `SubresourceFactory` creates subresources with bodies of another kind. Default:
   * true.
   */
  readonly get?: boolean
  /** Whether Tables are served. Default: true. */
  readonly tabled?: boolean
}

/** A column of a resource's tables. */
export interface Column<T extends KubeObject> {
  readonly name: string
  readonly type?: 'string' | 'integer' | 'number' | 'boolean' | 'date'
  readonly format?: string
  /** 0 is always shown, 1 only with `-o wide`. Default: 0. */
  readonly priority?: number
  readonly description?: string
  /** Whether rows have a cell for a column that is not listed, as some tables of kube-apiserver do. Default: false. */
  readonly isUnlisted?: boolean
  value(object: DeepReadonly<T>, now: number): TableCell
}

/** Adjacent columns of one priority whose cells are computed together (pods: Ready, Status and Restarts). */
export interface ColumnGroup<T extends KubeObject> {
  readonly columns: readonly Omit<Column<T>, 'value' | 'isUnlisted' | 'priority'>[]
  /** The priority of all columns. Default: 0. */
  readonly priority?: number
  /** Returns one cell for each column. */
  row(object: DeepReadonly<T>, now: number): readonly TableCell[]
}

/** The storage settings of a resource. */
export interface StorageFacts<T extends KubeObject = KubeObject> {
  /** The version of objects in a store that is shared with kube-apiserver. It may differ from the hub only by name. Default: the hub. */
  readonly version?: string
  /** The path of the objects below the storage root, the same as in kube-apiserver. Default: the plural. */
  readonly prefix?: string
  /** The selectable field by which most watchers select (pods: their node). The watch cache has an index of it. Default: none. */
  readonly triggerField?: string
  /** The time to live after the last write, unless the server's options name the resource. Default: unlimited. */
  readonly ttlSeconds?: number
  /** Whether a watch cache serves reads, unless the server's options name the resource. Default: true. */
  readonly watchCache?: boolean
  /** Defaults that are set on read because the strategy removes them before storing. Default: none. */
  readonly defaultOnRead?: DefaultOnRead<T>
}

/** Another served version of a resource, and its differences from the hub version. */
export interface ServedVersion extends GroupVersion {
  /** The deprecation of this version. Requests for it get a warning. Default: none. */
  readonly deprecated?: Deprecation
  /** Sets defaults of this version in place. Default: the definition's `setDefaults`. */
  setDefaults?(this: void, object: KubeObject): void
  /** Converts an object to the hub version. May change and return its argument. Default: returns it unchanged. */
  toHub?(this: void, object: KubeObject): KubeObject
  /** Converts an object from the hub version. Must not change its argument. Default: returns it unchanged. */
  fromHub?(this: void, object: DeepReadonly<KubeObject>): KubeObject
  /** The field labels of this version, each with the hub's name of the field. Default: the hub's labels. */
  readonly fieldLabels?: Readonly<Record<string, string>>
}

/** A resource as plain data and pure functions. Routes, discovery, OpenAPI, the store, table output and shared tests are derived from it. */
export interface ResourceDefinition<T extends KubeObject = KubeObject> {
  /** The hub version: the version that is validated and stored. */
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly plural: string
  /** The singular name. Default: the kind in lower case. */
  readonly singular?: string
  readonly scope: 'Namespaced' | 'Cluster'
  readonly shortNames?: readonly string[]
  readonly categories?: readonly string[]
  /** Further versions of the same objects, in order of preference (core events are also events.k8s.io/v1). The server's options enable them. */
  readonly alsoServedAs?: readonly ServedVersion[]
  /** Sets defaults before anything else sees the object. Default: nothing. */
  readonly setDefaults?: (object: T) => void
  /** Converts alternative fields to the stored ones after defaulting (secrets: `stringData`). May change its argument. Default: nothing. */
  readonly normalize?: (object: T) => T
  readonly strategy: Strategy<T>
  /** Annotations that PartialObjectMetadata leaves out, because kube-apiserver keeps them in the internal spec. Default: none. */
  readonly specAnnotations?: readonly string[]
  /** The warning for requests that use the resource in the hub version. Default: none. */
  readonly deprecation?: string
  /** Validates a name and returns error messages. `prefix` is true for a generateName. Default: a DNS subdomain. */
  readonly validateName?: (name: string, prefix: boolean) => readonly string[]
  /** Generates a name from a generateName. Default: appends five random characters. */
  readonly generateName?: (base: string) => string
  /** Selectable fields in addition to metadata.name and metadata.namespace. The value of an unset field is "". */
  readonly selectableFields?: Readonly<Record<string, (object: DeepReadonly<T>) => string>>
  /** Further labels for field selectors, each with the name of its field. Default: none. */
  readonly fieldLabels?: Readonly<Record<string, string>>
  /** Returns the error for a selector with an unknown field. Default: the label is not supported. */
  readonly refuseFieldLabel?: FieldLabelRefusal
  /**
   * Columns between Name and Age. Columns of a higher priority come after Age. Default: Name and Created At, as for kinds without a printer in
   * kube-apiserver.
   */
  readonly columns?: readonly (Column<T> | ColumnGroup<T>)[]
  /** Replaces all columns, including Name and Age (events). */
  readonly allColumns?: readonly Column<T>[]
  readonly tableConditions?: (object: DeepReadonly<T>) => readonly { type: string; status: string; reason?: string; message?: string }[]
  readonly subresources?: Readonly<Record<string, SubresourceStrategy<T>>>
  /** The usage for resource quotas. 'none' counts nothing (events). Default: the number of objects, as "count/<plural>.<group>". */
  readonly quota?: QuotaRules<T> | 'none'
  /** The fields behind the subresource `scale`. Default: the resource has no `scale`. */
  readonly scale?: ScaledBy<T>
  /** Sets fields that kube-apiserver prints even in an empty object of the kind, for example in bookmarks. Default: nothing. */
  readonly fillBlank?: (object: T) => void
  /** Verbs that the resource does not have (namespaces have no deletecollection). Default: none. */
  readonly withoutVerbs?: readonly ('deletecollection' | 'watch' | 'list' | 'update' | 'patch' | 'delete' | 'create')[]
  /** Whether DELETE returns the object instead of a Status. Default: false. */
  readonly returnsDeletedObject?: boolean
  readonly storage?: StorageFacts<T>
  /** Throws `ApiError` to refuse deleting the object of this name. Not called by deletecollection, as in kube-apiserver. */
  readonly checkDelete?: (name: string) => void
  /** The rules for deleting in two steps (namespaces). Default: ordinary deletion. */
  readonly deletion?: DeletionPolicy<T>
}

/** The rules for deleting in two steps: an object is first marked, and removed when its own finalizers are gone (namespaces). */
export interface DeletionPolicy<T extends KubeObject> {
  /** Changes the object for its deletion (phase Terminating). Runs after deletionTimestamp is set. */
  beginDelete(object: T): void
  /** Returns true if only `metadata.finalizers` still prevent the removal (spec.finalizers are empty). */
  readyToRemove(object: DeepReadonly<T>): boolean
}

/** Returns the definition. Gives its functions the type of the resource's objects. */
export function defineResource<T extends KubeObject>(definition: ResourceDefinition<T>): ResourceDefinition<T> {
  return definition
}

/** The releases that deprecate and remove a version. */
interface Deprecation {
  /** The release that deprecates the version: "1.34". */
  readonly since: string
  /** The first release without the version: "1.37". */
  readonly gone: string
  /** The version to use instead: "storage.k8s.io/v1". Default: the warning names none. */
  readonly replacement?: string
}

/** The warning about a deprecated version. */
export interface DeprecationNotice {
  /** The text that clients of the version get. */
  readonly warning: string
  /** The first release without the version: "1.37". Absent if unknown. */
  readonly gone?: string
}

/** Returns the warnings about deprecated versions, by apiVersion. */
export function deprecationsOf<T extends KubeObject>(definition: ResourceDefinition<T>): Readonly<Record<string, DeprecationNotice>> {
  const { kind, deprecation, alsoServedAs = [] } = definition
  const versions = alsoServedAs.flatMap((served) => {
    const apiVersion = formatGroupVersion(served)
    if (served.deprecated === undefined) return []
    const notice: DeprecationNotice = { warning: deprecationText(apiVersion, kind, served.deprecated), gone: served.deprecated.gone }
    return [[apiVersion, notice] as const]
  })
  const hub = deprecation === undefined ? [] : [[formatGroupVersion(definition), { warning: deprecation }] as const]
  return Object.fromEntries([...hub, ...versions])
}

function deprecationText(apiVersion: string, kind: string, { since, gone, replacement }: Deprecation): string {
  const instead = replacement === undefined ? '' : `; use ${replacement} ${kind}`
  return `${apiVersion} ${kind} is deprecated in v${since}+, unavailable in v${gone}+${instead}`
}
