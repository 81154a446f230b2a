import { describeJson } from '@keelson/apimachinery'
import type { JsonObject, JsonValue } from '@keelson/apimachinery'
import { parseApiVersion } from '../api-version.ts'
import { notRegistered } from '../decode/document.ts'
import type { WriteRoute } from '../write/route.ts'

/** The kind that a patched document names: the route's, none with a version (kube-apiserver then decodes nothing of the object), or a wrong one. */
export type PatchedKind = 'right' | 'unversioned' | { readonly misfit: string }

export function patchedKind(route: WriteRoute, patched: JsonObject): PatchedKind {
  const said = { apiVersion: '', kind: '' }
  for (const member of ['apiVersion', 'kind'] as const) {
    const value = patched[member] ?? ''
    if (typeof value !== 'string') return { misfit: `couldn't get version/kind; json parse error: ${noText(value, member)}` }
    said[member] = value
  }
  const kind = said.kind || route.gvk.kind
  if (said.apiVersion === '') return kind === route.gvk.kind ? 'unversioned' : { misfit: notInternal(route, kind) }
  const gvk = { ...parseApiVersion(said.apiVersion), kind }
  if (gvk.kind === route.gvk.kind && said.apiVersion === route.apiVersion) return 'right'
  const misfit =
    route.types.kind(gvk) === undefined
      ? notRegistered(gvk)
      : `unable to decode ${said.apiVersion}, Kind=${gvk.kind} into *${route.gvk.version}.${route.gvk.kind}`
  return { misfit }
}

/** Another kind without a version is looked for in the group, inside. */
function notInternal({ gvk, types }: WriteRoute, kind: string): string {
  const { group } = gvk
  if (types.kind({ ...gvk, kind }) === undefined) {
    return `no kind ${JSON.stringify(kind)} is registered for the internal version of group ${JSON.stringify(group)} in scheme "pkg/api/legacyscheme/scheme.go:30"`
  }
  const inside = group === '' ? 'core' : group.split('.', 1)[0]
  return `converting (${inside}.${kind}) to (${inside}.${gvk.kind}): unknown conversion`
}

function noText(value: JsonValue, member: string): string {
  return `json: cannot unmarshal ${describeJson(value)} into Go struct field .${member} of type string`
}

/** With the path's kind and version. Texts only: what is wrong with other values is said when they are decoded. */
export function ofKind(route: WriteRoute, patched: JsonObject): JsonObject {
  const isText = (value: unknown): boolean => typeof (value ?? '') === 'string'
  if (!isText(patched['kind']) || !isText(patched['apiVersion'])) return patched
  if (patched['kind'] === route.gvk.kind && patched['apiVersion'] === route.apiVersion) return patched
  return { ...patched, kind: route.gvk.kind, apiVersion: route.apiVersion }
}
