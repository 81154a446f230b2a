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
  const segments = text.split('/')
  if (segments.length === 1) return { group: '', version: text }
  if (segments.length === 2) return { group: segments[0]!, version: segments[1]! }
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

export function equalsGroupVersion(a: GroupVersion, b: GroupVersion): boolean {
  return a.group === b.group && a.version === b.version
}

export function equalsGroupVersionKind(a: GroupVersionKind, b: GroupVersionKind): boolean {
  return a.kind === b.kind && equalsGroupVersion(a, b)
}

/**
 * Compares two versions by their stability and age. Negative if `a` is listed before `b`: "v2", "v1", "v2beta1", "v1beta2", "v1alpha1".
 * Other names follow, in alphabetical order.
 */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [parseVersionName(a), parseVersionName(b)]
  if (left === undefined || right === undefined) return left === right ? compareText(a, b) : left === undefined ? 1 : -1
  return left.stability - right.stability || right.major - left.major || right.minor - left.minor
}

const versionName = /^v([0-9]+)(?:(alpha|beta)([0-9]+))?$/

function parseVersionName(name: string): { readonly stability: number; readonly major: number; readonly minor: number } | undefined {
  const [, major, stage, minor = '0'] = versionName.exec(name) ?? []
  if (major === undefined) return undefined
  return { stability: stage === undefined ? 0 : stage === 'beta' ? 1 : 2, major: Number(major), minor: Number(minor) }
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
