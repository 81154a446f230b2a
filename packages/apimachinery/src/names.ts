export interface GroupVersion {
  /** "" for the core group. */
  readonly group: string
  readonly version: string
}
export interface GroupKind {
  readonly group: string
  readonly kind: string
}
export interface GroupVersionKind extends GroupVersion {
  readonly kind: string
}
export interface GroupResource {
  readonly group: string
  /** Plural, lower case; a subresource is "pods/status". */
  readonly resource: string
}
export interface GroupVersionResource extends GroupVersion {
  readonly resource: string
}
