import { decodeStruct } from '@keelson/apimachinery'
import type { JsonObject, KubeObject, ObjectMeta } from '@keelson/apimachinery'
import { apiVersionOf } from '../routing/scope.ts'
import type { ResourceScope } from '../routing/scope.ts'

/** An object of the scope's kind with only this metadata and the fields that the kind always has. */
export function blankObject({ type, gvk, storage }: ResourceScope, metadata: ObjectMeta): KubeObject {
  const blank: KubeObject = { metadata }
  storage.fillBlank?.(blank)
  const object = type === undefined ? blank : decodeStruct<KubeObject>(type.schema, blank as unknown as JsonObject).object
  return { kind: gvk.kind, apiVersion: apiVersionOf(gvk), ...object }
}
