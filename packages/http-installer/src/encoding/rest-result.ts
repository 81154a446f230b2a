import type { DeepReadonly, GroupVersionKind, KubeObject, ObjectMeta, JsonObject } from '@keelson/apimachinery'
import { fromHub } from '@keelson/registry'
import type { RestResult } from '@keelson/registry'
import { isStoredObject, readMetadata } from '@keelson/storagebackend'
import { apiVersionOf, parseApiVersion } from '../routing/served-resource.ts'
import type { ServedResource } from '../routing/served-resource.ts'
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
export function toVersioned(served: ServedResource, result: RestResult): Versioned {
  if (isStoredObject(result)) return { gvk: served.gvk, object: fromHub(served, result.copy()) }
  const { kind, apiVersion, ...object } = result
  if (kind === undefined || (kind === served.hub.kind && (apiVersion === undefined || apiVersion === apiVersionOf(served.hub)))) {
    return { gvk: served.gvk, object: fromHub(served, object) }
  }
  return { gvk: { ...parseApiVersion(apiVersion ?? ''), kind }, object: object }
}

/** Returns the metadata of a result. Does not decode the rest of the object. */
export function getMetadata(result: RestResult): DeepReadonly<ObjectMeta> {
  return isStoredObject(result) ? readMetadata(result) : (result.metadata ?? {})
}

/** Returns an object of the resource's kind that has only this metadata and the fields that are always present. */
export function createBlankObject({ type, gvk, storage }: ServedResource, metadata: ObjectMeta): KubeObject {
  const blank: KubeObject = { metadata }
  storage.fillBlank?.(blank)
  const object = type === undefined ? blank : decodeStruct<KubeObject>(type.schema, blank as unknown as JsonObject).object
  return { kind: gvk.kind, apiVersion: apiVersionOf(gvk), ...object }
}
