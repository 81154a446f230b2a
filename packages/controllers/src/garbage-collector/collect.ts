import { isApiError, newNotFound } from '@keelson/apimachinery'
import type { DeepReadonly, DeleteOptions, KubeObject, OwnerReference } from '@keelson/apimachinery'
import type { LoopbackClient, LoopbackResource } from '@keelson/loopback'
import { foregroundFinalizer, orphanFinalizer } from './dependency-graph.ts'
import type { DependencyGraph, GraphNode, Identity } from './dependency-graph.ts'
import { classifyOwners, InvalidOwnerError } from './owner-lookup.ts'

export interface CollectorParts {
  readonly client: LoopbackClient
  readonly graph: DependencyGraph
  /** Queues a uid for processing. */
  readonly enqueue: (uid: string) => void
}

/**
 * Reconciles one object: deletes it if no owner is left, drops references to missing owners if others remain, or removes its finalizer when
 * its dependents are deleted or orphaned. Rejects to retry.
 */
export async function collect(uid: string, parts: CollectorParts): Promise<void> {
  const node = parts.graph.node(uid)
  if (node === undefined) return
  if (node.orphaningDependents) return releaseDependents(node, parts)
  // A deletion in progress needs nothing more.
  if (node.beingDeleted && !node.deletingDependents) return
  const served = resourceOf(node.identity, parts)
  const latest = await served.get(node.identity.namespace, node.identity.name, { resourceVersion: '' })
  if (latest === undefined || latest.metadata.uid !== uid) return parts.graph.remove(uid)
  if (node.deletingDependents) return awaitDependents(node, parts)
  await deleteUnowned(node, latest, parts)
}

async function deleteUnowned(node: GraphNode, latest: DeepReadonly<KubeObject>, parts: CollectorParts): Promise<void> {
  const references = (latest.metadata.ownerReferences ?? []) as readonly OwnerReference[]
  if (references.length === 0) return
  const owners = await classifyOwners(references, node.identity, parts).catch((error: unknown) => {
    if (error instanceof InvalidOwnerError) return undefined
    throw error
  })
  if (owners === undefined) return
  const { solid, dangling, waiting } = owners
  if (solid.length > 0) {
    // Owners waiting for their dependents would wait forever for an object that stays.
    const gone = new Set([...dangling, ...waiting].map(({ uid }) => uid))
    if (gone.size > 0) await change(node.identity, parts, dropOwners(gone))
    return
  }
  const dependents = parts.graph.dependents(node.identity.uid)
  if (waiting.length > 0 && dependents.length > 0) {
    // In a cycle, each owner would wait for the next. One non-blocking reference breaks the cycle.
    if (dependents.some(({ deletingDependents }) => deletingDependents)) await change(node.identity, parts, unblockOwnerDeletion)
    return deleteObject(node.identity, latest, 'Foreground', parts)
  }
  const finalizers = latest.metadata.finalizers ?? []
  const policy = finalizers.includes(orphanFinalizer) ? 'Orphan' : finalizers.includes(foregroundFinalizer) ? 'Foreground' : 'Background'
  return deleteObject(node.identity, latest, policy, parts)
}

async function deleteObject(
  identity: Identity,
  { metadata: { uid, resourceVersion } }: DeepReadonly<KubeObject>,
  propagationPolicy: NonNullable<DeleteOptions['propagationPolicy']>,
  parts: CollectorParts,
): Promise<void> {
  // The decision holds only for this state: somebody may be adding an owner concurrently.
  const preconditions = { ...(uid && { uid }), ...(resourceVersion && { resourceVersion }) }
  try {
    await resourceOf(identity, parts).delete(identity.namespace, identity.name, { preconditions, propagationPolicy })
  } catch (error) {
    if (!isApiError(error, 'NotFound')) throw error
    parts.graph.remove(identity.uid)
  }
}

/** Ends a foreground deletion once no dependent blocks it. */
async function awaitDependents({ identity }: GraphNode, parts: CollectorParts): Promise<void> {
  const blocking = parts.graph
    .dependents(identity.uid)
    .filter(({ owners }) => owners.some(({ uid, blockOwnerDeletion }) => uid === identity.uid && blockOwnerDeletion === true))
  if (blocking.length === 0) return change(identity, parts, dropFinalizer(foregroundFinalizer))
  for (const dependent of blocking) if (!dependent.deletingDependents) parts.enqueue(dependent.identity.uid)
}

async function releaseDependents({ identity }: GraphNode, parts: CollectorParts): Promise<void> {
  const owner = new Set([identity.uid])
  await Promise.all(parts.graph.dependents(identity.uid).map((dependent) => change(dependent.identity, parts, dropOwners(owner))))
  await change(identity, parts, dropFinalizer(orphanFinalizer))
}

type Change = (object: KubeObject) => void

/** Writes a metadata change to the object if its uid still matches. */
async function change(identity: Identity, parts: CollectorParts, write: Change): Promise<void> {
  const { group, resource, namespace, name, uid } = identity
  try {
    await resourceOf(identity, parts).update(namespace, name, (object) => {
      // A new object of the same name replaced it.
      if (object.metadata.uid !== uid) throw newNotFound({ group, resource }, name)
      write(object)
      return object
    })
  } catch (error) {
    if (!isApiError(error, 'NotFound')) throw error
    parts.graph.remove(uid)
  }
}

function dropOwners(uids: ReadonlySet<string>): Change {
  return ({ metadata }) => {
    const kept = (metadata.ownerReferences ?? []).filter(({ uid }) => !uids.has(uid))
    if (kept.length > 0) metadata.ownerReferences = kept
    else delete metadata.ownerReferences
  }
}

function unblockOwnerDeletion({ metadata }: KubeObject): void {
  for (const reference of metadata.ownerReferences ?? []) if (reference.blockOwnerDeletion) reference.blockOwnerDeletion = false
}

function dropFinalizer(finalizer: string): Change {
  return ({ metadata }) => {
    const kept = (metadata.finalizers ?? []).filter((name) => name !== finalizer)
    if (kept.length > 0) metadata.finalizers = kept
    else delete metadata.finalizers
  }
}

function resourceOf({ group, resource }: Identity, { client }: CollectorParts): LoopbackResource {
  const served = client.resource({ group, resource })
  if (served === undefined) throw new Error(`${resource} is no longer served`)
  return served
}
