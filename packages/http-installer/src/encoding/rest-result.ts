import type { DeepReadonly, GroupVersionKind, KubeObject, ObjectMeta, JsonObject } from '@keelson/apimachinery'
import { fromHub } from '@keelson/registry'
import type { RestResult } from '@keelson/registry'
import { isStoredObject, readMetadata } from '@keelson/storagebackend'
import { apiVersionOf, parseApiVersion } from '../routing/scope.ts'
import type { ResourceScope } from '../routing/scope.ts'
import { decodeStruct } from '@keelson/apimachinery'

/** An object in the version in which it is served, without kind and apiVersion. It is shared, so it must not be changed. */
interface Versioned {
  readonly gvk: GroupVersionKind
  readonly object: KubeObject
}

/**
 * Returns the object of a result in the version in which it is served. A result with a kind of its own (a Status, a Scale) is served as
 * that kind. Other results are served as the kind of the resource.
 */
export function versionedOf(scope: ResourceScope, result: RestResult): Versioned {
  if (isStoredObject(result)) return { gvk: scope.gvk, object: fromHub(scope, result.copy()) }
  const { kind, apiVersion, ...object } = result
  if (kind === undefined || (kind === scope.hub.kind && (apiVersion === undefined || apiVersion === apiVersionOf(scope.hub)))) {
    return { gvk: scope.gvk, object: fromHub(scope, object) }
  }
  return { gvk: { ...parseApiVersion(apiVersion ?? ''), kind }, object: object }
}

/** Returns the metadata of a result. Does not decode the rest of the object. */
export function metaOf(result: RestResult): DeepReadonly<ObjectMeta> {
  return isStoredObject(result) ? readMetadata(result) : (result.metadata ?? {})
}

/** Returns an object of the resource's kind that has only this metadata and the fields that are always present. */
export function blankObject({ type, gvk, storage }: ResourceScope, metadata: ObjectMeta): KubeObject {
  const blank: KubeObject = { metadata }
  storage.fillBlank?.(blank)
  const object = type === undefined ? blank : decodeStruct<KubeObject>(type.schema, blank as unknown as JsonObject).object
  return { kind: gvk.kind, apiVersion: apiVersionOf(gvk), ...object }
}
