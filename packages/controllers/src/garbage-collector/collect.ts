import { isApiError, newNotFound } from '@keelson/apimachinery'
import type { DeepReadonly, DeleteOptions, KubeObject, OwnerReference } from '@keelson/apimachinery'
import type { LoopbackClient, LoopbackResource } from '@keelson/loopback'
import { foregroundFinalizer, orphanFinalizer } from './dependency-graph.ts'
import type { DependencyGraph, GraphNode, Identity } from './dependency-graph.ts'
import { classifyOwners, InvalidOwnerError } from './owner-lookup.ts'

export interface CollectorContext {
  readonly client: LoopbackClient
  readonly graph: DependencyGraph
  /** Adds a UID to the work queue. */
  readonly enqueue: (uid: string) => void
}

/**
 * Reconciles one object. Deletes it if none of its owners exists. Removes references to missing owners if other owners remain. Removes its
 * finalizer after its dependents were deleted or orphaned. Rejects to retry later.
 */
export async function collect(uid: string, context: CollectorContext): Promise<void> {
  const node = context.graph.node(uid)
  if (node === undefined) return
  if (node.orphaningDependents) return releaseDependents(node, context)
  // Skips an object whose deletion needs no action of the garbage collector.
  if (node.beingDeleted && !node.deletingDependents) return
  const resource = findResource(node.identity, context)
  const latest = await resource.get(node.identity.namespace, node.identity.name, { resourceVersion: '' })
  if (latest === undefined || latest.metadata.uid !== uid) return context.graph.remove(uid)
  if (node.deletingDependents) return awaitDependents(node, context)
  await deleteUnowned(node, latest, context)
}

async function deleteUnowned(node: GraphNode, latest: DeepReadonly<KubeObject>, context: CollectorContext): Promise<void> {
  const references = (latest.metadata.ownerReferences ?? []) as readonly OwnerReference[]
  if (references.length === 0) return
  const owners = await classifyOwners(references, node.identity, context).catch((error: unknown) => {
    if (error instanceof InvalidOwnerError) return undefined
    throw error
  })
  if (owners === undefined) return
  const { solid, dangling, waiting } = owners
  if (solid.length > 0) {
    // Also removes references to owners that wait for their dependents. They would otherwise wait forever, because this object is kept.
    const removedOwners = new Set([...dangling, ...waiting].map(({ uid }) => uid))
    if (removedOwners.size > 0) await changeObject(node.identity, context, dropOwners(removedOwners))
    return
  }
  const dependents = context.graph.dependents(node.identity.uid)
  if (waiting.length > 0 && dependents.length > 0) {
    // Makes one owner reference non-blocking, because in a cycle each object would otherwise wait for the next one.
    if (dependents.some(({ deletingDependents }) => deletingDependents)) await changeObject(node.identity, context, unblockOwnerDeletion)
    return deleteObject(node.identity, latest, 'Foreground', context)
  }
  const finalizers = latest.metadata.finalizers ?? []
  const policy = finalizers.includes(orphanFinalizer) ? 'Orphan' : finalizers.includes(foregroundFinalizer) ? 'Foreground' : 'Background'
  return deleteObject(node.identity, latest, policy, context)
}

async function deleteObject(
  identity: Identity,
  { metadata: { uid, resourceVersion } }: DeepReadonly<KubeObject>,
  propagationPolicy: NonNullable<DeleteOptions['propagationPolicy']>,
  context: CollectorContext,
): Promise<void> {
  // The preconditions make the deletion fail if another client has changed the object, for example added an owner.
  const preconditions = { ...(uid && { uid }), ...(resourceVersion && { resourceVersion }) }
  try {
    await findResource(identity, context).delete(identity.namespace, identity.name, { preconditions, propagationPolicy })
  } catch (error) {
    if (!isApiError(error, 'NotFound')) throw error
    context.graph.remove(identity.uid)
  }
}

/** Completes a foreground deletion when no dependent blocks it any longer. */
async function awaitDependents({ identity }: GraphNode, context: CollectorContext): Promise<void> {
  const blocking = context.graph
    .dependents(identity.uid)
    .filter(({ owners }) => owners.some(({ uid, blockOwnerDeletion }) => uid === identity.uid && blockOwnerDeletion === true))
  if (blocking.length === 0) return changeObject(identity, context, dropFinalizer(foregroundFinalizer))
  for (const dependent of blocking) if (!dependent.deletingDependents) context.enqueue(dependent.identity.uid)
}

async function releaseDependents({ identity }: GraphNode, context: CollectorContext): Promise<void> {
  const owner = new Set([identity.uid])
  await Promise.all(context.graph.dependents(identity.uid).map((dependent) => changeObject(dependent.identity, context, dropOwners(owner))))
  await changeObject(identity, context, dropFinalizer(orphanFinalizer))
}

type Change = (object: KubeObject) => void

/** Changes the metadata of an object if its UID still matches. */
async function changeObject(identity: Identity, context: CollectorContext, write: Change): Promise<void> {
  const { group, resource, namespace, name, uid } = identity
  try {
    await findResource(identity, context).update(namespace, name, (object) => {
      // Another UID means that a new object with the same name has replaced this one.
      if (object.metadata.uid !== uid) throw newNotFound({ group, resource }, name)
      write(object)
      return object
    })
  } catch (error) {
    if (!isApiError(error, 'NotFound')) throw error
    context.graph.remove(uid)
  }
}

function dropOwners(uids: ReadonlySet<string>): Change {
  return ({ metadata }) => {
    const references = (metadata.ownerReferences ?? []).filter(({ uid }) => !uids.has(uid))
    if (references.length > 0) metadata.ownerReferences = references
    else delete metadata.ownerReferences
  }
}

function unblockOwnerDeletion({ metadata }: KubeObject): void {
  for (const reference of metadata.ownerReferences ?? []) if (reference.blockOwnerDeletion) reference.blockOwnerDeletion = false
}

function dropFinalizer(finalizer: string): Change {
  return ({ metadata }) => {
    const finalizers = (metadata.finalizers ?? []).filter((name) => name !== finalizer)
    if (finalizers.length > 0) metadata.finalizers = finalizers
    else delete metadata.finalizers
  }
}

function findResource({ group, resource }: Identity, { client }: CollectorContext): LoopbackResource {
  const served = client.resource({ group, resource })
  if (served === undefined) throw new Error(`${resource} is no longer served`)
  return served
}
