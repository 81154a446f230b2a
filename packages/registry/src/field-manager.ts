import type { ApiTypes } from '@keelson/api'
import type { GroupVersionKind, Scheme } from '@keelson/apimachinery'
import { FieldManager } from '@keelson/apimachinery/managed-fields'
import { parseApiVersion } from './api-version.ts'
import type { RESTStorage } from './rest.ts'

export interface StorageFieldManagerOptions {
  readonly scheme: Scheme
  readonly types: Pick<ApiTypes, 'kind'>
  /** The kind in the version that writes come in. */
  readonly kind: GroupVersionKind
  readonly storage: Pick<RESTStorage, 'gvk' | 'resetFields'>
  /** "" or "status". */
  readonly subresource: string
  readonly now: () => number
}

/** Creates the field manager for the writes of one path in one version. Undefined for a kind without a schema. */
export function storageFieldManager(options: StorageFieldManagerOptions): FieldManager | undefined {
  const { scheme, types, kind, storage, subresource, now } = options
  const hub = storage.gvk
  const inVersion = (apiVersion: string): GroupVersionKind => ({ ...parseApiVersion(apiVersion), kind: kind.kind })
  if (types.kind(kind) === undefined) return undefined
  return new FieldManager({
    kind,
    subresource,
    now,
    resetFields: storage.resetFields,
    versions: {
      schemaOf(apiVersion) {
        const gvk = inVersion(apiVersion)
        const other = scheme.hubOf(gvk)
        const ours = other === undefined ? sameVersion(gvk, kind) : sameVersion(other, hub)
        return ours ? types.kind(gvk)?.schema : undefined
      },
      fromHub: (object, apiVersion) => scheme.fromHub(inVersion(apiVersion), object),
      toHub: (object, apiVersion) => scheme.toHub(inVersion(apiVersion), object),
      setDefaults: (object, apiVersion) => scheme.setDefaults(inVersion(apiVersion), object),
    },
  })
}

function sameVersion(a: GroupVersionKind, b: GroupVersionKind): boolean {
  return a.group === b.group && a.version === b.version
}
