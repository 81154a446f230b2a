import type { GroupVersionKind, GroupVersionResource, KubeObject, RequestContext } from '@keelson/apimachinery'

export type AdmissionOperation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT'

/** One write as admission sees it: hub objects without kind and apiVersion. */
export interface AdmissionAttributes {
  /** The request: its `user`, and `warn` for warnings in the response. */
  readonly context: RequestContext
  readonly operation: AdmissionOperation
  readonly kind: GroupVersionKind
  readonly resource: GroupVersionResource
  readonly subresource: string
  readonly namespace: string
  readonly name: string
  /** undefined for DELETE. Mutating plugins change it in place. */
  readonly object: KubeObject | undefined
  /** Must not be modified. */
  readonly oldObject: KubeObject | undefined
  readonly dryRun: boolean
  /** The request's CreateOptions, UpdateOptions, PatchOptions or DeleteOptions. */
  readonly options?: Readonly<Record<string, unknown>>
  /** Adds an annotation to the audit event, under a qualified key. Absent without audit logging. */
  readonly annotate?: (key: string, value: string) => void
}

/** A plugin has one or both phases. Each throws an ApiError to refuse, and returns a promise only if it has to wait. */
export interface AdmissionPlugin {
  readonly name: string
  /** Default: CREATE, UPDATE and DELETE. */
  readonly operations?: readonly AdmissionOperation[]
  /** Runs before the registry prepares the object. */
  admit?(attributes: AdmissionAttributes): Promise<void> | void
  /** Runs on the final object. */
  validate?(attributes: AdmissionAttributes): Promise<void> | void
}

/** Runs all plugins. Throws on refusal, or rejects if a plugin had to wait. */
export interface AdmissionChain {
  readonly handles: (operation: AdmissionOperation) => boolean
  admit(attributes: AdmissionAttributes): Promise<void> | void
  validate(attributes: AdmissionAttributes): Promise<void> | void
}
