import type { DeepReadonly, GroupVersionKind, KubeObject, ObjectMeta, JsonObject } from '@keelson/apimachinery'
import { fromHub } from '@keelson/registry'
import type { RestResult } from '@keelson/registry'
import { isStoredObject, readMetadata } from '@keelson/storagebackend'
import { apiVersionOf, parseApiVersion } from '../routing/scope.ts'
import type { ResourceScope } from '../routing/scope.ts'
import { decodeStruct } from '@keelson/apimachinery'

/** An object in its served version, without kind and apiVersion. It is shared and must not be changed. */
interface Versioned {
  readonly gvk: GroupVersionKind
  readonly object: KubeObject
}

/**
 * Returns the object of a result. A result with its own kind (a Status, a Scale) is served as that kind. A result without a kind, or with the hub's, is served
 * as the scope's kind.
 */
export function versionedOf(scope: ResourceScope, result: RestResult): Versioned {
  if (isStoredObject(result)) return { gvk: scope.gvk, object: fromHub(scope, result.copy()) }
  const { kind, apiVersion, ...object } = result
  if (kind === undefined || (kind === scope.hub.kind && (apiVersion === undefined || apiVersion === apiVersionOf(scope.hub)))) {
    return { gvk: scope.gvk, object: fromHub(scope, object) }
  }
  return { gvk: { ...parseApiVersion(apiVersion ?? ''), kind }, object: object }
}

/** Returns the metadata of a result without decoding the rest. */
export function metaOf(result: RestResult): DeepReadonly<ObjectMeta> {
  return isStoredObject(result) ? readMetadata(result) : (result.metadata ?? {})
}

/** Returns an object of the scope's kind with only this metadata and the fields that the kind always has. */
export function blankObject({ type, gvk, storage }: ResourceScope, metadata: ObjectMeta): KubeObject {
  const blank: KubeObject = { metadata }
  storage.fillBlank?.(blank)
  const object = type === undefined ? blank : decodeStruct<KubeObject>(type.schema, blank as unknown as JsonObject).object
  return { kind: gvk.kind, apiVersion: apiVersionOf(gvk), ...object }
}
