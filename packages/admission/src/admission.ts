import type { GroupVersionKind, GroupVersionResource, KubeObject, RequestContext } from '@keelson/apimachinery'

export type AdmissionOperation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT'

/** One write, as the admission chain sees it: hub objects, without kind and apiVersion. */
export interface AdmissionAttributes {
  readonly context: RequestContext
  readonly operation: AdmissionOperation
  readonly kind: GroupVersionKind
  readonly resource: GroupVersionResource
  readonly subresource: string
  readonly namespace: string
  readonly name: string
  /** undefined for DELETE. A mutating plugin changes it in place. */
  readonly object: KubeObject | undefined
  readonly oldObject: KubeObject | undefined
  readonly dryRun: boolean
}

/** A plugin has one or both halves. Throws ApiError to refuse. */
export interface AdmissionPlugin {
  readonly name: string
  /** Default: CREATE, UPDATE and DELETE. */
  readonly operations?: readonly AdmissionOperation[]
  /** Before the registry's own preparation. */
  admit?(attributes: AdmissionAttributes): Promise<void> | void
  /** On the final object. */
  validate?(attributes: AdmissionAttributes): Promise<void> | void
}

export interface AdmissionChain {
  readonly handles: (operation: AdmissionOperation) => boolean
  admit(attributes: AdmissionAttributes): Promise<void>
  validate(attributes: AdmissionAttributes): Promise<void>
}
