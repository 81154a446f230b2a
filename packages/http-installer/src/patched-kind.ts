import { describeJson } from '@keelson/apimachinery'
import type { JsonObject, JsonValue } from '@keelson/apimachinery'
import { notRegistered } from './decode-document.ts'
import { parseApiVersion } from './scope.ts'
import type { ResourceScope } from './scope.ts'

/** What a patched document says of its kind: the path's, nothing of its version (then the original reads nothing of the object), or what cannot be. */
export type PatchedKind = 'right' | 'unversioned' | { readonly misfit: string }

export function patchedKind(scope: ResourceScope, patched: JsonObject): PatchedKind {
  const said = { apiVersion: '', kind: '' }
  for (const member of ['apiVersion', 'kind'] as const) {
    const value = patched[member] ?? ''
    if (typeof value !== 'string') return { misfit: `couldn't get version/kind; json parse error: ${noText(value, member)}` }
    said[member] = value
  }
  const kind = said.kind || scope.gvk.kind
  if (said.apiVersion === '') return kind === scope.gvk.kind ? 'unversioned' : { misfit: notInternal(scope, kind) }
  const gvk = { ...parseApiVersion(said.apiVersion), kind }
  if (gvk.kind === scope.gvk.kind && said.apiVersion === scope.apiVersion) return 'right'
  const misfit =
    scope.info.types.kind(gvk) === undefined
      ? notRegistered(gvk)
      : `unable to decode ${said.apiVersion}, Kind=${gvk.kind} into *${scope.gvk.version}.${scope.gvk.kind}`
  return { misfit }
}

/** Another kind without a version is looked for in the group, inside. */
function notInternal({ gvk, info }: ResourceScope, kind: string): string {
  const { group } = gvk
  if (info.types.kind({ ...gvk, kind }) === undefined) {
    return `no kind ${JSON.stringify(kind)} is registered for the internal version of group ${JSON.stringify(group)} in scheme "pkg/api/legacyscheme/scheme.go:30"`
  }
  const inside = group === '' ? 'core' : group.split('.', 1)[0]
  return `converting (${inside}.${kind}) to (${inside}.${gvk.kind}): unknown conversion`
}

function noText(value: JsonValue, member: string): string {
  return `json: cannot unmarshal ${describeJson(value)} into Go struct field .${member} of type string`
}

/** With the path's kind and version. Texts only: what is wrong with other values is said when they are decoded. */
export function ofKind(scope: ResourceScope, patched: JsonObject): JsonObject {
  const isText = (value: unknown): boolean => typeof (value ?? '') === 'string'
  if (!isText(patched['kind']) || !isText(patched['apiVersion'])) return patched
  if (patched['kind'] === scope.gvk.kind && patched['apiVersion'] === scope.apiVersion) return patched
  return { ...patched, kind: scope.gvk.kind, apiVersion: scope.apiVersion }
}
