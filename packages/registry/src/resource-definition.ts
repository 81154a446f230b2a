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
import type { Deprecation } from './deprecations.ts'
import type { QuotaRules } from './quota-rules.ts'
import type { TableCell } from './rest.ts'
import type { ScaledBy } from './scale-subresource.ts'

/** What decides how objects of a kind come to be and change. Every hook may be left out; the default is written beside it. */
export interface Strategy<T extends KubeObject> {
  /** Clears what a client may not set and fills what it may leave out. Default: nothing. */
  prepareForCreate?(context: RequestContext, object: T): void
  /** Default: no rules beyond metadata's. */
  validateCreate?(context: RequestContext, object: DeepReadonly<T>): FieldErrorList
  /**
   * Runs what `validateCreate` or `validateUpdate` does where that may take long: with pauses, in which others are served. A promise only then.
   * Default: at once.
   */
  runValidation?(context: RequestContext, validate: () => FieldErrorList): FieldErrorList | Promise<FieldErrorList>
  warningsOnCreate?(context: RequestContext, object: DeepReadonly<T>): readonly string[]
  /** For `?export=true`, after `prepareForCreate`: takes out what another cluster must give by itself; throws ApiError to refuse. Default: nothing. */
  prepareForExport?(object: T, exact: boolean): void
  /** After validation, before storing. Default: nothing. */
  canonicalize?(object: T): void
  /** Default: nothing. `old` is what is stored. */
  prepareForUpdate?(context: RequestContext, object: T, old: DeepReadonly<T>): void
  validateUpdate?(context: RequestContext, object: DeepReadonly<T>, old: DeepReadonly<T>): FieldErrorList
  warningsOnUpdate?(context: RequestContext, object: DeepReadonly<T>, old: DeepReadonly<T>): readonly string[]
  /** What `prepareForCreate` and `prepareForUpdate` leave as it was, whatever a client says of it. Default: nothing. */
  resetFields?: FieldFilter
  /** PUT of an absent object creates it. Default false. */
  allowCreateOnUpdate?: boolean
  /** PUT without resourceVersion overwrites. Default true. */
  allowUnconditionalUpdate?: boolean
  /** May set `options.gracePeriodSeconds`; true means: wait for the grace period. Default: delete at once. */
  checkGracefulDelete?(context: RequestContext, object: DeepReadonly<T>, options: DeleteOptions): boolean
  /** Of a DELETE, or of a collection's, with these options, whether or not anything comes to be deleted. Default: nothing. */
  warningsOnDelete?(options: DeleteOptions): readonly string[]
  /** What a delete without propagationPolicy does to dependents. Default "background"; "unsupported" ignores the policy altogether (events). */
  defaultPropagation?: 'background' | 'orphan' | 'unsupported'
  /**
   * The original checks metadata on update twice, once for every resource and once in the kind's own rules, and reports each failure as often.
   * How much the kind's own rules repeat. Default "all"; "update" only what may not change (namespaces, and every subresource);
   * "create" only the rules for new objects.
   */
  repeatedMetadataChecks?: 'all' | 'update' | 'create' | 'none'
}

/** The part of a strategy that updates follow. */
export type UpdateStrategy<T extends KubeObject> = Pick<
  Strategy<T>,
  'prepareForUpdate' | 'validateUpdate' | 'runValidation' | 'warningsOnUpdate' | 'canonicalize' | 'resetFields'
>

export interface SubresourceStrategy<T extends KubeObject> {
  /** PUT and PATCH of the subresource go through this. */
  readonly update: UpdateStrategy<T>
  /** A rule that reads other objects. Runs when all other rules have passed; throws `ApiError` to refuse. Default: none. */
  checkUpdate?(this: void, context: RequestContext, object: DeepReadonly<T>, old: DeepReadonly<T>): Promise<void> | void
  /** Default false: what is absent cannot be changed, whatever the resource itself allows. */
  readonly allowCreateOnUpdate?: boolean
  /** Default true: GET answers the whole object. A subresource whose body is of another kind is built by a `SubresourceFactory` instead. */
  readonly get?: boolean
  /** Default true: answers may be asked for as a table. */
  readonly tabled?: boolean
}

export interface Column<T extends KubeObject> {
  readonly name: string
  readonly type?: 'string' | 'integer' | 'number' | 'boolean' | 'date'
  readonly format?: string
  /** 0 is always shown; 1 with -o wide. Default 0. */
  readonly priority?: number
  readonly description?: string
  /** Has a cell in each row, and is not among the columns: so some tables of the original are. Default false. */
  readonly isUnlisted?: boolean
  value(object: DeepReadonly<T>, now: number): TableCell
}

/** Neighbouring columns of one priority, whose cells one computation gives (pods: Ready, Status and Restarts). */
export interface ColumnGroup<T extends KubeObject> {
  readonly columns: readonly Omit<Column<T>, 'value' | 'isUnlisted' | 'priority'>[]
  /** Of all columns. Default 0. */
  readonly priority?: number
  /** One cell for each of the columns. */
  row(object: DeepReadonly<T>, now: number): readonly TableCell[]
}

/** How the objects of a resource are stored. */
export interface StorageFacts {
  /** Path below the root of the storage: the place where kube-apiserver keeps these objects. Default: the plural. */
  readonly prefix?: string
  /** The selectable field that most watchers select one value of (pods: their node). The watch cache dispatches and lists by it. Default: none. */
  readonly triggerField?: string
  /** How long an object is kept after its last write, unless the server's options name the resource. Default: until it is deleted. */
  readonly ttlSeconds?: number
  /** Whether a watch cache answers reads, unless the server's options name the resource. Default true. */
  readonly watchCache?: boolean
}

/** Another group version of a resource, and its differences from the hub. */
export interface ServedVersion extends GroupVersion {
  /** Everybody who uses it is warned. Default: nobody is. */
  readonly deprecated?: Deprecation
  /** On objects of this version. Default: the definition's. */
  setDefaults?(this: void, object: KubeObject): void
  /** May change and return its argument. Default: the two forms are the same. */
  toHub?(this: void, object: KubeObject): KubeObject
  /** Must not change its argument. Default: the two forms are the same. */
  fromHub?(this: void, object: DeepReadonly<KubeObject>): KubeObject
  /** The field labels of this version, each with the hub's name of the field. Default: the hub's labels. */
  readonly fieldLabels?: Readonly<Record<string, string>>
}

/** A resource: plain data and pure functions. Routes, discovery, OpenAPI, the store, table output and shared tests are derived from it. */
export interface ResourceDefinition<T extends KubeObject = KubeObject> {
  /** The hub version: what is stored and validated. */
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly plural: string
  /** Default: the lower-cased kind. */
  readonly singular?: string
  readonly scope: 'Namespaced' | 'Cluster'
  readonly shortNames?: readonly string[]
  readonly categories?: readonly string[]
  /** The version that objects are stored as where the store is shared with the original. Default: the hub. The two are alike but for their names. */
  readonly storedVersion?: string
  /** Further group versions of the same objects (core events are also events.k8s.io/v1), in order of preference. Which are on is the server's to say. */
  readonly alsoServedAs?: readonly ServedVersion[]
  /** Fills in what a client may leave out; the scheme does it, before anything else sees the object. Default: nothing. */
  readonly setDefaults?: (object: T) => void
  /** Rewrites what clients may send in several forms (secrets: stringData) to the one that is stored, after defaulting. May change its argument. Default: nothing. */
  readonly normalize?: (object: T) => T
  readonly strategy: Strategy<T>
  /** Annotations that the original keeps in the spec inside: who asks for metadata alone does not get them. Default: none. */
  readonly specAnnotations?: readonly string[]
  /** A warning for everybody who uses the resource in its own version: since when not to, and what to use instead. */
  readonly deprecation?: string
  /** Name rules; returns messages. Default: DNS subdomain. `prefix` true for generateName. */
  readonly validateName?: (name: string, prefix: boolean) => readonly string[]
  /** Makes a name of a generateName. Default: five random characters behind it. */
  readonly generateName?: (base: string) => string
  /** Beyond metadata.name and metadata.namespace. "" when unset. */
  readonly selectableFields?: Readonly<Record<string, (object: DeepReadonly<T>) => string>>
  /** Labels that a field selector may use beside these fields, each with the field that it stands for. Default: none. */
  readonly fieldLabels?: Readonly<Record<string, string>>
  /** What who selects by another field is told. Default: that the label is not supported. */
  readonly refuseFieldLabel?: FieldLabelRefusal
  /** After Name; those of priority 0 before Age, the rest behind it. [] is Name and Age; left out: Name and Created At, as the original prints kinds it has no printer for. */
  readonly columns?: readonly (Column<T> | ColumnGroup<T>)[]
  /** Those of the defaults that objects are stored without, because their strategy takes them out again. Default: none. */
  readonly defaultOnRead?: DefaultOnRead<T>
  /** Replaces all columns, Name and Age too (events). */
  readonly allColumns?: readonly Column<T>[]
  readonly tableConditions?: (object: DeepReadonly<T>) => readonly { type: string; status: string; reason?: string; message?: string }[]
  readonly subresources?: Readonly<Record<string, SubresourceStrategy<T>>>
  /** What resource quotas count. 'none': nothing (events). Default: the objects, as "count/<plural>.<group>". */
  readonly quota?: QuotaRules<T> | 'none'
  /** Its objects are so many, and have a `scale` that says and changes it. */
  readonly scale?: ScaledBy<T>
  /** Fills in what the original shows of an object of the kind that has nothing in it, as bookmarks are. Default: nothing. */
  readonly fillBlank?: (object: T) => void
  /** The verbs to leave out (namespaces have no deletecollection). */
  readonly withoutVerbs?: readonly ('deletecollection' | 'watch' | 'list' | 'update' | 'patch' | 'delete' | 'create')[]
  /** DELETE answers with the object instead of a Status. Default false. */
  readonly returnsDeletedObject?: boolean
  readonly storage?: StorageFacts
  /** Refuses to delete the object of this name; throws ApiError. Like the original's, a deletecollection does not ask. */
  readonly checkDelete?: (name: string) => void
  /** Called in place of removing the object when its deletion is asked; see namespaces. Omitted: ordinary deletion. */
  readonly deletion?: DeletionPolicy<T>
}

/** Objects that go away in steps (namespaces): what a delete writes, and when the object may really be removed. */
export interface DeletionPolicy<T extends KubeObject> {
  /** Changes the object for its deletion (phase Terminating). Runs after deletionTimestamp is set. */
  beginDelete(object: T): void
  /** True when nothing holds the object any longer (spec.finalizers empty), metadata.finalizers aside. */
  readyToRemove(object: DeepReadonly<T>): boolean
}

export function defineResource<T extends KubeObject>(definition: ResourceDefinition<T>): ResourceDefinition<T> {
  return definition
}
