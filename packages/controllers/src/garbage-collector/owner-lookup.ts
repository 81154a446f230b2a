import type { DeepReadonly, KubeObject, OwnerReference } from '@keelson/apimachinery'
import type { DeletableResource, LoopbackClient } from '@keelson/loopback'
import { foregroundFinalizer } from './dependency-graph.ts'
import type { DependencyGraph, Identity } from './dependency-graph.ts'

/** What an object's owners are to it. */
export interface ClassifiedOwners {
  /** There, and staying. */
  readonly solid: readonly OwnerReference[]
  /** Not there. */
  readonly dangling: readonly OwnerReference[]
  /** On their way out, but not before their dependents. */
  readonly waiting: readonly OwnerReference[]
}

/** A kind that is not served, or not yet. */
export class UnknownKindError extends Error {
  override readonly name = 'UnknownKindError'
}

/** An owner reference that can never be right: looking again would not help. */
export class InvalidOwnerError extends Error {
  override readonly name = 'InvalidOwnerError'
}

/** Looks every owner up in the store. Throws `UnknownKindError` and `InvalidOwnerError`. */
export async function classifyOwners(
  references: readonly OwnerReference[],
  item: Identity,
  { client, graph }: { readonly client: LoopbackClient; readonly graph: DependencyGraph },
): Promise<ClassifiedOwners> {
  const owners = { solid: [] as OwnerReference[], dangling: [] as OwnerReference[], waiting: [] as OwnerReference[] }
  for (const reference of references) {
    const resource = resourceOf(client, reference)
    if (resource.namespaced && item.namespace === '') {
      throw new InvalidOwnerError(
        `${item.kind} ${item.name} is cluster-wide, but names the owner ${reference.kind} ${reference.name} in a namespace`,
      )
    }
    const namespace = resource.namespaced ? item.namespace : ''
    const deletions = graph.deletionsSeen(reference.uid)
    const found = await client.resource(resource)?.get(namespace, reference.name, { resourceVersion: '' })
    if (found === undefined || found.metadata.uid !== reference.uid) {
      owners.dangling.push(reference)
      continue
    }
    const { apiVersion, kind, name, uid } = reference
    graph.verified(uid, { apiVersion, kind, namespace, name }, deletions)
    owners[waitsForDependents(found) ? 'waiting' : 'solid'].push(reference)
  }
  return owners
}

function waitsForDependents({ metadata }: DeepReadonly<KubeObject>): boolean {
  return metadata.deletionTimestamp !== undefined && (metadata.finalizers ?? []).includes(foregroundFinalizer)
}

function resourceOf(client: LoopbackClient, { apiVersion, kind }: OwnerReference): DeletableResource {
  const slash = apiVersion.indexOf('/')
  const group = slash < 0 ? '' : apiVersion.slice(0, slash)
  const resource = client.deletableResources().find((served) => served.group === group && served.kind === kind)
  if (resource === undefined) throw new UnknownKindError(`no resource is served for the owner kind ${kind} of ${apiVersion}`)
  return resource
}
