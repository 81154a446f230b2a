import type { DeepReadonly, KubeObject, OwnerReference } from '@keelson/apimachinery'
import type { DeletableResource, LoopbackClient } from '@keelson/loopback'
import { foregroundFinalizer } from './dependency-graph.ts'
import type { DependencyGraph, Identity } from './dependency-graph.ts'

/** Owner references of an object, grouped by the state of the owner. */
export interface ClassifiedOwners {
  /** References to owners that exist and are not being deleted. */
  readonly solid: readonly OwnerReference[]
  /** References to owners that do not exist. */
  readonly dangling: readonly OwnerReference[]
  /** References to owners that are being deleted and wait for their dependents. */
  readonly waiting: readonly OwnerReference[]
}

/** Error for an owner reference whose kind is not served (yet). */
export class UnknownKindError extends Error {
  override readonly name = 'UnknownKindError'
}

/** Error for an owner reference that can never be valid, so that a retry would not help. */
export class InvalidOwnerError extends Error {
  override readonly name = 'InvalidOwnerError'
}

/** Looks up every owner in the store and groups the references by the owner's state. Throws `UnknownKindError` and `InvalidOwnerError`. */
export async function classifyOwners(
  references: readonly OwnerReference[],
  item: Identity,
  { client, graph }: { readonly client: LoopbackClient; readonly graph: DependencyGraph },
): Promise<ClassifiedOwners> {
  const owners = { solid: [] as OwnerReference[], dangling: [] as OwnerReference[], waiting: [] as OwnerReference[] }
  for (const reference of references) {
    const resource = findResource(client, reference)
    const deletions = graph.deletionsSeen(reference.uid)
    if (resource === undefined) {
      // The definition of a custom owner is often deleted right after the owner, so that the owner cannot be looked up any longer.
      if (deletions === 0) throw new UnknownKindError(`the owner kind ${reference.kind} of ${reference.apiVersion} is not served`)
      owners.dangling.push(reference)
      continue
    }
    if (resource.namespaced && item.namespace === '') {
      throw new InvalidOwnerError(
        `cluster-scoped ${item.kind} ${item.name} cannot have the namespaced owner ${reference.kind} ${reference.name}`,
      )
    }
    const namespace = resource.namespaced ? item.namespace : ''
    const owner = await client.resource(resource)?.get(namespace, reference.name, { resourceVersion: '' })
    if (owner === undefined || owner.metadata.uid !== reference.uid) {
      owners.dangling.push(reference)
      continue
    }
    const { apiVersion, kind, name, uid } = reference
    graph.verified(uid, { apiVersion, kind, namespace, name }, deletions)
    owners[waitsForDependents(owner) ? 'waiting' : 'solid'].push(reference)
  }
  return owners
}

function waitsForDependents({ metadata }: DeepReadonly<KubeObject>): boolean {
  return metadata.deletionTimestamp !== undefined && (metadata.finalizers ?? []).includes(foregroundFinalizer)
}

function findResource(client: LoopbackClient, { apiVersion, kind }: OwnerReference): DeletableResource | undefined {
  const slash = apiVersion.indexOf('/')
  const group = slash < 0 ? '' : apiVersion.slice(0, slash)
  return client.listDeletableResources().find((served) => served.group === group && served.kind === kind)
}
