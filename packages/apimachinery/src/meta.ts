/** A parsed JSON value. All API objects consist of such values. */
export type JsonValue = null | boolean | number | string | JsonValue[] | { [key: string]: JsonValue }
export type JsonObject = { [key: string]: JsonValue }

export interface TypeMeta {
  kind?: string
  apiVersion?: string
}

/** Metadata of an object. Times are RFC 3339 strings. A `Time` has whole seconds, a `MicroTime` has six fractional digits. */
export interface ObjectMeta {
  name?: string
  generateName?: string
  namespace?: string
  selfLink?: string
  uid?: string
  resourceVersion?: string
  generation?: number
  creationTimestamp?: string
  deletionTimestamp?: string
  deletionGracePeriodSeconds?: number
  labels?: Record<string, string>
  annotations?: Record<string, string>
  ownerReferences?: OwnerReference[]
  finalizers?: string[]
  managedFields?: ManagedFieldsEntry[]
}

export interface OwnerReference {
  apiVersion: string
  kind: string
  name: string
  uid: string
  controller?: boolean
  blockOwnerDeletion?: boolean
}

export interface ManagedFieldsEntry {
  manager?: string
  operation?: string
  apiVersion?: string
  time?: string
  fieldsType?: string
  fieldsV1?: JsonObject
  subresource?: string
}

export interface ListMeta {
  selfLink?: string
  resourceVersion?: string
  continue?: string
  remainingItemCount?: number
  shardInfo?: ShardInfo
}

/** The shard of a sharded list: which part of all objects the list contains. */
export interface ShardInfo {
  selector: string
}

/**
 * An API object. Inside the server, objects of known kinds have neither `kind` nor `apiVersion`. Decoding checks and drops both, and encoding
 * writes them.
 */
export interface KubeObject extends TypeMeta {
  metadata: ObjectMeta
}

export interface KubeList<T = KubeObject> extends TypeMeta {
  metadata: ListMeta
  items: T[]
}

export interface LabelSelectorRequirement {
  key: string
  operator: string
  values?: string[]
}

export interface LabelSelector {
  matchLabels?: Record<string, string>
  matchExpressions?: LabelSelectorRequirement[]
}

export interface Preconditions {
  uid?: string
  resourceVersion?: string
}

export interface DeleteOptions extends TypeMeta {
  gracePeriodSeconds?: number
  preconditions?: Preconditions
  orphanDependents?: boolean
  propagationPolicy?: string
  dryRun?: string[]
  ignoreStoreReadErrorWithClusterBreakingPotential?: boolean
}

export interface StatusCause {
  reason?: string
  message?: string
  field?: string
}

export interface StatusDetails {
  name?: string
  group?: string
  kind?: string
  uid?: string
  causes?: StatusCause[]
  retryAfterSeconds?: number
}

/** A metav1.Status. It is the body of every error response, and of the response to a delete that returns no object. */
export interface Status extends TypeMeta {
  metadata: ListMeta
  status?: string
  message?: string
  reason?: string
  details?: StatusDetails
  code?: number
}

/** Makes a type read-only at all levels, for values that several readers share. */
export type DeepReadonly<T> = T extends (infer E)[]
  ? readonly DeepReadonly<E>[]
  : T extends object
    ? { readonly [K in keyof T]: DeepReadonly<T[K]> }
    : T
