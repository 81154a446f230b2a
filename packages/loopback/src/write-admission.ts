import type { GroupVersionKind, GroupVersionResource, KubeObject, RequestContext } from '@keelson/apimachinery'

/** One write as admission sees it, structurally equal to `AdmissionAttributes`. */
export interface WriteAttributes {
  readonly context: RequestContext
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE'
  readonly kind: GroupVersionKind
  readonly resource: GroupVersionResource
  readonly subresource: string
  readonly namespace: string
  readonly name: string
  readonly object: KubeObject | undefined
  readonly oldObject: KubeObject | undefined
  readonly dryRun: boolean
}

/** The part of an admission chain that in-process writes use. */
export interface WriteAdmission {
  admit(attributes: WriteAttributes): Promise<void> | void
  validate(attributes: WriteAttributes): Promise<void> | void
}

export const noAdmission: WriteAdmission = {
  admit() {},
  validate() {},
}
