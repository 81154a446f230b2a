export interface GroupVersion {
  /** API group. "" for the core group. */
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
  /** Plural name in lower case, such as "pods". A subresource follows a slash: "pods/status". */
  readonly resource: string
}
export interface GroupVersionResource extends GroupVersion {
  readonly resource: string
}

/** Formats a resource as "deployments.apps". Omits the group of core resources. */
export function groupResourceString(gr: GroupResource): string {
  return gr.group === '' ? gr.resource : `${gr.resource}.${gr.group}`
}

export function groupKindString(gk: GroupKind): string {
  return gk.group === '' ? gk.kind : `${gk.kind}.${gk.group}`
}

/** Formats a group and version as `apiVersion`: "v1", "apps/v1". */
export function formatGroupVersion(gv: GroupVersion): string {
  return gv.group === '' ? gv.version : `${gv.group}/${gv.version}`
}

/** Parses an apiVersion. "" and "/" result in an empty group and version, as in upstream. Throws for more than one slash. */
export function parseGroupVersion(text: string): GroupVersion {
  if (text === '' || text === '/') return { group: '', version: '' }
  const parts = text.split('/')
  if (parts.length === 1) return { group: '', version: text }
  if (parts.length === 2) return { group: parts[0]!, version: parts[1]! }
  throw new Error(`unexpected GroupVersion string: ${text}`)
}

/** Parses the apiVersion and kind of an object. Throws for an apiVersion with more than one slash. */
export function parseGroupVersionKind(apiVersion: string, kind: string): GroupVersionKind {
  return { ...parseGroupVersion(apiVersion), kind }
}

/** Formats a kind for messages: "/v1, Kind=Pod", "apps/v1, Kind=Deployment". */
export function groupVersionKindString(gvk: GroupVersionKind): string {
  return `${gvk.group}/${gvk.version}, Kind=${gvk.kind}`
}

export function groupVersionResourceString(gvr: GroupVersionResource): string {
  return `${gvr.group}/${gvr.version}, Resource=${gvr.resource}`
}

export function sameGroupVersion(a: GroupVersion, b: GroupVersion): boolean {
  return a.group === b.group && a.version === b.version
}

export function sameGroupVersionKind(a: GroupVersionKind, b: GroupVersionKind): boolean {
  return a.kind === b.kind && sameGroupVersion(a, b)
}
