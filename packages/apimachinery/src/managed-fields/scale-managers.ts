import type { ManagedFieldsEntry } from '../meta.ts'
import { difference, fieldsAt, hasPath, isEmptySet, setOfPaths } from './field-set.ts'
import { decodeManaged, encodeManaged } from './managed.ts'
import type { Managed } from './managed.ts'
import { fieldElement } from './path-element.ts'
import type { PathElement } from './path-element.ts'

const scaleApiVersion = 'autoscaling/v1'
const replicasOfScale: readonly PathElement[] = [fieldElement('spec'), fieldElement('replicas')]

/** Where a kind keeps its replicas, by apiVersion: one field, written with dots ("spec.replicas"). */
export type ReplicasPaths = Readonly<Record<string, string>>

/** Who manages the replicas, as managers of the `Scale` that stands for the object. */
export function managersOfScale(entries: ManagedFieldsEntry[] | undefined, paths: ReplicasPaths): ManagedFieldsEntry[] | undefined {
  const managed: Managed = new Map()
  for (const [id, entry] of decodeManaged(entries, true)) {
    const path = replicasPath(paths, entry.apiVersion)
    if (path === undefined || !hasPath(entry.set, path)) continue
    managed.set(id, { ...entry, set: fieldsAt('spec.replicas'), apiVersion: scaleApiVersion })
  }
  return encodeManaged(managed)
}

/** The object's managers, after those of its `Scale` became `scaleEntries` by a write. `apiVersion`: the one that newcomers are put down in. */
export function managersAfterScale(
  entries: ManagedFieldsEntry[] | undefined,
  scaleEntries: ManagedFieldsEntry[] | undefined,
  { apiVersion, paths }: { readonly apiVersion: string; readonly paths: ReplicasPaths },
): ManagedFieldsEntry[] | undefined {
  const scale = decodeManaged(scaleEntries, true)
  const managed: Managed = new Map()
  const before = decodeManaged(entries, true)
  for (const [id, entry] of before) {
    const path = replicasPath(paths, entry.apiVersion)
    if (path === undefined) continue
    if (!hasPath(entry.set, path) || scale.delete(id)) managed.set(id, entry)
    else {
      const set = difference(entry.set, setOfPaths([path]))
      if (!isEmptySet(set)) managed.set(id, { ...entry, set })
    }
  }
  const own = replicasPath(paths, apiVersion)
  for (const [id, entry] of scale) {
    if (own === undefined || !hasPath(entry.set, replicasOfScale)) continue
    // A newcomer's time is not known here: the original leaves it out too.
    managed.set(id, { ...entry, set: setOfPaths([own]), apiVersion, time: before.get(id)?.time })
  }
  return encodeManaged(managed)
}

function replicasPath(paths: ReplicasPaths, apiVersion: string): readonly PathElement[] | undefined {
  return Object.hasOwn(paths, apiVersion) ? paths[apiVersion]!.split('.').map(fieldElement) : undefined
}
