import type { ManagedFieldsEntry } from '../meta.ts'
import { subtractSet, createFieldSet, hasPath, isEmptySet, setOfPaths } from './field-set.ts'
import { decodeManaged, encodeManaged } from './managed.ts'
import type { Managed } from './managed.ts'
import { createFieldElement } from './path-element.ts'
import type { PathElement } from './path-element.ts'

const scaleApiVersion = 'autoscaling/v1'
const replicasOfScale: readonly PathElement[] = [createFieldElement('spec'), createFieldElement('replicas')]

/** Dotted path of the replicas field in each apiVersion, such as "spec.replicas". Null for a version without the subresource `scale`. */
export type ReplicasPaths = Readonly<Record<string, string | null>>

/** Returns the managers of an object's replicas field as managers of the object's `Scale`. */
export function getScaleManagers(entries: ManagedFieldsEntry[] | undefined, paths: ReplicasPaths): ManagedFieldsEntry[] | undefined {
  const managed: Managed = new Map()
  for (const [id, entry] of decodeManaged(entries, true)) {
    const path = findReplicasPath(paths, entry.apiVersion)
    if (path === undefined || path === null || !hasPath(entry.set, path)) continue
    managed.set(id, { ...entry, set: createFieldSet('spec.replicas'), apiVersion: scaleApiVersion })
  }
  return encodeManaged(managed)
}

/**
 * Returns the managers of an object after a write of its `Scale`. `scaleEntries` are the managers of the written `Scale`. New managers get
 * `apiVersion`.
 */
export function updateScaleManagers(
  entries: ManagedFieldsEntry[] | undefined,
  scaleEntries: ManagedFieldsEntry[] | undefined,
  { apiVersion, paths }: { readonly apiVersion: string; readonly paths: ReplicasPaths },
): ManagedFieldsEntry[] | undefined {
  const scale = decodeManaged(scaleEntries, true)
  const managed: Managed = new Map()
  const before = decodeManaged(entries, true)
  for (const [id, entry] of before) {
    const path = findReplicasPath(paths, entry.apiVersion)
    if (path === undefined) continue
    if (path === null || !hasPath(entry.set, path) || scale.delete(id)) managed.set(id, entry)
    else {
      const set = subtractSet(entry.set, setOfPaths([path]))
      if (!isEmptySet(set)) managed.set(id, { ...entry, set })
    }
  }
  const replicasElement = findReplicasPath(paths, apiVersion)
  for (const [id, entry] of scale) {
    if (replicasElement === undefined || replicasElement === null || !hasPath(entry.set, replicasOfScale)) continue
    // Like kube-apiserver, sets no time for managers that the write of the Scale adds.
    managed.set(id, { ...entry, set: setOfPaths([replicasElement]), apiVersion, time: before.get(id)?.time })
  }
  return encodeManaged(managed)
}

function findReplicasPath(paths: ReplicasPaths, apiVersion: string): readonly PathElement[] | null | undefined {
  if (!Object.hasOwn(paths, apiVersion)) return undefined
  const path = paths[apiVersion]!
  return path === null ? null : path.split('.').map(createFieldElement)
}
