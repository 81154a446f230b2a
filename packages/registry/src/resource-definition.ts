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

/** The expensive steps of one validation, which `runValidation` spreads over several turns of the event loop. */
export interface ValidationSteps {
  /**
   * The result of a step, computed now or in an earlier call of the validation. Undefined if it must wait for a later slice: then the whole
   * validation is called again, and the errors of this call are discarded. A validation must ask for the same steps in the same order each time.
   */
  run<T>(step: () => T): T | undefined
}

/** The rules for creating, updating and deleting objects of a kind. Every hook is optional; its comment names the default. */
export interface Strategy<T extends KubeObject> {
  /** Clears fields that clients may not set, and fills in fields that they may leave out. Default: nothing. */
  prepareForCreate?(context: RequestContext, object: T): void
  /** Default: no rules beyond metadata's. `steps`: see `runValidation`. */
  validateCreate?(context: RequestContext, object: DeepReadonly<T>, steps?: ValidationSteps): FieldErrorList
  /**
   * Calls `validateCreate` or `validateUpdate`, possibly several times, with the steps of one slice each, so that other requests are served in between.
   * A promise only if validation takes long. Default: one call, without `steps`.
   */
  runValidation?(context: RequestContext, validate: (steps?: ValidationSteps) => FieldErrorList): FieldErrorList | Promise<FieldErrorList>
  warningsOnCreate?(context: RequestContext, object: DeepReadonly<T>): readonly string[]
  /** For `?export=true`, after `prepareForCreate`: drops the fields that another cluster sets itself; throws ApiError to refuse. Default: nothing. */
  prepareForExport?(object: T, exact: boolean): void
  /** After validation, before storing. Default: nothing. */
  canonicalize?(object: T): void
  /** `old` is the stored object. Default: nothing. */
  prepareForUpdate?(context: RequestContext, object: T, old: DeepReadonly<T>): void
  validateUpdate?(context: RequestContext, object: DeepReadonly<T>, old: DeepReadonly<T>, steps?: ValidationSteps): FieldErrorList
  warningsOnUpdate?(context: RequestContext, object: DeepReadonly<T>, old: DeepReadonly<T>): readonly string[]
  /** Fields that `prepareForCreate` and `prepareForUpdate` reset, so that no client comes to own them. Default: none. */
  resetFields?: FieldFilter
  /** PUT of an absent object creates it. Default false. */
  allowCreateOnUpdate?: boolean
  /** PUT without resourceVersion overwrites. Default true. */
  allowUnconditionalUpdate?: boolean
  /** May set `options.gracePeriodSeconds`; true means: wait for the grace period. Default: delete at once. */
  checkGracefulDelete?(context: RequestContext, object: DeepReadonly<T>, options: DeleteOptions): boolean
  /** Warnings about the options of a DELETE, even if nothing is deleted. Default: none. */
  warningsOnDelete?(options: DeleteOptions): readonly string[]
  /** The policy of a delete without propagationPolicy. Default "background"; "unsupported" ignores every policy (events). */
  defaultPropagation?: 'background' | 'orphan' | 'unsupported'
  /**
   * The checks of metadata that the kind's own rules repeat on update: kube-apiserver checks metadata twice, once for every resource and once
   * in the kind's rules, and reports each error twice. Default "all"; "update" only the checks for immutable fields (namespaces, and every subresource);
   * "create" only the rules for new objects.
   */
  repeatedMetadataChecks?: 'all' | 'update' | 'create' | 'none'
}

/** The part of a strategy that applies to updates. */
export type UpdateStrategy<T extends KubeObject> = Pick<
  Strategy<T>,
  'prepareForUpdate' | 'validateUpdate' | 'runValidation' | 'warningsOnUpdate' | 'canonicalize' | 'resetFields'
>

export interface SubresourceStrategy<T extends KubeObject> {
  /** PUT and PATCH of the subresource go through this. */
  readonly update: UpdateStrategy<T>
  /** A rule that reads other objects. Runs when all other rules have passed; throws `ApiError` to refuse. Default: none. */
  checkUpdate?(this: void, context: RequestContext, object: DeepReadonly<T>, old: DeepReadonly<T>): Promise<void> | void
  /** PUT of an absent object creates it. Default false, even if the resource itself allows it. */
  readonly allowCreateOnUpdate?: boolean
  /** GET answers the whole object. Default true. A `SubresourceFactory` builds subresources with bodies of another kind. */
  readonly get?: boolean
  /** The Table form is served. Default true. */
  readonly tabled?: boolean
}

export interface Column<T extends KubeObject> {
  readonly name: string
  readonly type?: 'string' | 'integer' | 'number' | 'boolean' | 'date'
  readonly format?: string
  /** 0 is always shown; 1 with -o wide. Default 0. */
  readonly priority?: number
  readonly description?: string
  /** Has a cell in each row without being listed, like in some tables of kube-apiserver. Default false. */
  readonly isUnlisted?: boolean
  value(object: DeepReadonly<T>, now: number): TableCell
}

/** Adjacent columns of one priority whose cells are computed together (pods: Ready, Status and Restarts). */
export interface ColumnGroup<T extends KubeObject> {
  readonly columns: readonly Omit<Column<T>, 'value' | 'isUnlisted' | 'priority'>[]
  /** The priority of all columns. Default 0. */
  readonly priority?: number
  /** One cell for each of the columns. */
  row(object: DeepReadonly<T>, now: number): readonly TableCell[]
}

/** How the objects of a resource are stored. */
export interface StorageFacts<T extends KubeObject = KubeObject> {
  /** The version of objects in a store that is shared with kube-apiserver. Default: the hub. The two differ only by name. */
  readonly version?: string
  /** Path below the root of the storage: the place where kube-apiserver keeps these objects. Default: the plural. */
  readonly prefix?: string
  /** The selectable field that most watchers select one value of (pods: their node). The watch cache dispatches and lists by it. Default: none. */
  readonly triggerField?: string
  /** How long an object is kept after its last write, unless the server's options name the resource. Default: until it is deleted. */
  readonly ttlSeconds?: number
  /** Whether a watch cache answers reads, unless the server's options name the resource. Default true. */
  readonly watchCache?: boolean
  /** Defaults that objects are stored without, because their strategy removes them. Default: none. */
  readonly defaultOnRead?: DefaultOnRead<T>
}

/** Another group version of a resource, and its differences from the hub. */
export interface ServedVersion extends GroupVersion {
  /** Every request for the version gets a warning. Default: none. */
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
  /** Further group versions of the same objects (core events are also events.k8s.io/v1), in order of preference. The server's options enable them. */
  readonly alsoServedAs?: readonly ServedVersion[]
  /** Fills in fields that clients may leave out, before anything else sees the object. Default: nothing. */
  readonly setDefaults?: (object: T) => void
  /** Converts alternative fields to the stored ones (secrets: `stringData`), after defaulting. May change its argument. Default: nothing. */
  readonly normalize?: (object: T) => T
  readonly strategy: Strategy<T>
  /** Annotations that kube-apiserver keeps in the spec internally: PartialObjectMetadata leaves them out. Default: none. */
  readonly specAnnotations?: readonly string[]
  /** The warning for requests that use the resource in its own version. */
  readonly deprecation?: string
  /** Name rules; returns messages. Default: DNS subdomain. `prefix` true for generateName. */
  readonly validateName?: (name: string, prefix: boolean) => readonly string[]
  /** Generates a name from a generateName. Default: appends five random characters. */
  readonly generateName?: (base: string) => string
  /** Beyond metadata.name and metadata.namespace. "" when unset. */
  readonly selectableFields?: Readonly<Record<string, (object: DeepReadonly<T>) => string>>
  /** Further labels for field selectors, each with its field. Default: none. */
  readonly fieldLabels?: Readonly<Record<string, string>>
  /** The error for a selector with another field. Default: the label is not supported. */
  readonly refuseFieldLabel?: FieldLabelRefusal
  /** Columns after Name; those of priority 0 stand before Age, the rest after it. []: Name and Age. Default: Name and Created At, like kinds that kube-apiserver has no printer for. */
  readonly columns?: readonly (Column<T> | ColumnGroup<T>)[]
  /** Replaces all columns, Name and Age too (events). */
  readonly allColumns?: readonly Column<T>[]
  readonly tableConditions?: (object: DeepReadonly<T>) => readonly { type: string; status: string; reason?: string; message?: string }[]
  readonly subresources?: Readonly<Record<string, SubresourceStrategy<T>>>
  /** The usage that resource quotas count. 'none': nothing (events). Default: the objects, as "count/<plural>.<group>". */
  readonly quota?: QuotaRules<T> | 'none'
  /** The replicas of an object, for its `scale` subresource. */
  readonly scale?: ScaledBy<T>
  /** Sets the fields that kube-apiserver shows even in an empty object of the kind, like bookmarks. Default: nothing. */
  readonly fillBlank?: (object: T) => void
  /** The verbs to leave out (namespaces have no deletecollection). */
  readonly withoutVerbs?: readonly ('deletecollection' | 'watch' | 'list' | 'update' | 'patch' | 'delete' | 'create')[]
  /** DELETE answers with the object instead of a Status. Default false. */
  readonly returnsDeletedObject?: boolean
  readonly storage?: StorageFacts<T>
  /** Throws ApiError to refuse a delete of the object of this name. Like in kube-apiserver, deletecollection does not call it. */
  readonly checkDelete?: (name: string) => void
  /** Deletes in steps, see namespaces. Default: ordinary deletion. */
  readonly deletion?: DeletionPolicy<T>
}

/** The rules of a deletion in steps (namespaces). */
export interface DeletionPolicy<T extends KubeObject> {
  /** Changes the object for its deletion (phase Terminating). Runs after deletionTimestamp is set. */
  beginDelete(object: T): void
  /** Nothing but `metadata.finalizers` holds the object any more (spec.finalizers are empty). */
  readyToRemove(object: DeepReadonly<T>): boolean
}

export function defineResource<T extends KubeObject>(definition: ResourceDefinition<T>): ResourceDefinition<T> {
  return definition
}
