import { createApiTypes } from '@keelson/api'
import type { ApiTypes, KindType } from '@keelson/api'
import { coreV1 } from '@keelson/api/core/v1'
import type { Pod } from '@keelson/api/core/v1'
import { metaV1 } from '@keelson/api/meta/v1'
import { decodeJson, decodeStruct, Scheme } from '@keelson/apimachinery'
import type { JsonObject } from '@keelson/apimachinery'
import { core } from '@keelson/resources-core'
import { createWorkloadPod } from './workload-pod.ts'

export const gvk = { group: '', version: 'v1', kind: 'Pod' } as const
export const types: ApiTypes = createApiTypes([coreV1, metaV1])
export const podType: KindType = types.kind(gvk)!
export const scheme: Scheme = new Scheme()
core.register(scheme)

const sent = Buffer.from(JSON.stringify({ apiVersion: 'v1', kind: 'Pod', ...createWorkloadPod('checkout-7d9c6b8f5d-x2k4q') }))

/** Decodes the JSON of a pod, as a client sends it. Returns a new object in each call. */
export function decodePod(): Pod {
  return decodeJson<Pod>(podType.schema, sent).object
}

/** Converts a JSON object to the in-memory representation of a decoded pod. */
export function convertToPod(object: JsonObject): Pod {
  return decodeStruct<Pod>(podType.schema, object).object
}

export function createDefaultedPod(): Pod {
  const pod = decodePod()
  scheme.setDefaults(gvk, pod)
  return pod
}
