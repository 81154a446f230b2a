import type { GroupVersion, GroupVersionKind, GroupVersionResource, KubeObject, RequestContext } from '@keelson/apimachinery'

export type AdmissionOperation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT'

/** The objects of a write in one version, without kind and apiVersion. */
export interface VersionedObjects {
  readonly kind: GroupVersionKind
  readonly object: KubeObject | undefined
  readonly oldObject: KubeObject | undefined
}

/** One write, as the admission chain sees it: hub objects, without kind and apiVersion. */
export interface AdmissionAttributes {
  /** Carries the user and takes warnings (`context.warn`). */
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
  /** CreateOptions, UpdateOptions or DeleteOptions of the operation: a patch has those of an update, or of a create. */
  readonly options: Readonly<Record<string, unknown>>
  /** Both objects in another version of their kind. Never write to them: changes are not carried back. Throws for a version that is not served. */
  as(groupVersion: GroupVersion): VersionedObjects
  /** Adds an annotation to the request's audit event, under a qualified key. */
  annotate(key: string, value: string): void
}

/** Both halves throw an `ApiError` to refuse, or reject if they had to wait. */
export interface AdmissionChain {
  /** False: neither half does anything for the operation. */
  handles(this: void, operation: AdmissionOperation): boolean
  /** The mutating half, before the registry prepares the object. */
  admit(attributes: AdmissionAttributes): Promise<void> | void
  /** The validating half, on the final object. */
  validate(attributes: AdmissionAttributes): Promise<void> | void
}

/** Admits everything. */
export const noAdmission: AdmissionChain = { handles: () => false, admit() {}, validate() {} }
