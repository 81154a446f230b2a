import type { GroupVersionKind, GroupVersionResource, KubeObject, RequestContext } from '@keelson/apimachinery'

export type AdmissionOperation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT'

/** One write, as the admission chain sees it: hub objects, without kind and apiVersion. */
export interface AdmissionAttributes {
  /** `user` is who asks; `warn` adds to the answer's warnings. */
  readonly context: RequestContext
  readonly operation: AdmissionOperation
  readonly kind: GroupVersionKind
  readonly resource: GroupVersionResource
  readonly subresource: string
  readonly namespace: string
  readonly name: string
  /** undefined for DELETE. A mutating plugin changes it in place. */
  readonly object: KubeObject | undefined
  /** Never changed. */
  readonly oldObject: KubeObject | undefined
  readonly dryRun: boolean
  /** The request's CreateOptions, UpdateOptions, PatchOptions or DeleteOptions. */
  readonly options?: Readonly<Record<string, unknown>>
  /** Notes something for the audit log, under a qualified key. Absent when nobody keeps such notes. */
  readonly annotate?: (key: string, value: string) => void
}

/** A plugin has one or both halves. Each throws ApiError to refuse; one that needs not wait answers without a promise. */
export interface AdmissionPlugin {
  readonly name: string
  /** Default: CREATE, UPDATE and DELETE. */
  readonly operations?: readonly AdmissionOperation[]
  /** Before the registry's own preparation. */
  admit?(attributes: AdmissionAttributes): Promise<void> | void
  /** On the final object. */
  validate?(attributes: AdmissionAttributes): Promise<void> | void
}

/** Throws, or rejects when it had to wait. */
export interface AdmissionChain {
  readonly handles: (operation: AdmissionOperation) => boolean
  admit(attributes: AdmissionAttributes): Promise<void> | void
  validate(attributes: AdmissionAttributes): Promise<void> | void
}
