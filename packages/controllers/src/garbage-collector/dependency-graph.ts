import { parseGroupVersion } from '@keelson/apimachinery'
import type { GroupVersionKind, ObjectMeta, OwnerReference } from '@keelson/apimachinery'

export const orphanFinalizer = 'orphan'
export const foregroundFinalizer = 'foregroundDeletion'

/** Identity of an object. `apiVersion` and `kind` have the values that owner references use. */
export interface Identity {
  readonly group: string
  readonly resource: string
  readonly apiVersion: string
  readonly kind: string
  /** Namespace of the object. "" for cluster-scoped objects. */
  readonly namespace: string
  readonly name: string
  readonly uid: string
}

export interface GraphNode {
  readonly identity: Identity
  owners: readonly OwnerReference[]
  beingDeleted: boolean
  /** True if the object has the foregroundDeletion finalizer and waits until its dependents are deleted. */
  deletingDependents: boolean
  /** True if the object has the orphan finalizer and waits until its dependents have no reference to it. */
  orphaningDependents: boolean
}

interface Owner {
  readonly dependents: Set<GraphNode>
  /** Kind, name and namespace with which an owner lookup has found the object. Undefined before the first lookup and after changes. */
  verifiedAs: Coordinates | undefined
  /** Number of observed deletions. If it changes during a lookup, the result of the lookup is ignored. */
  deletions: number
}

export interface Coordinates {
  readonly apiVersion: string
  readonly kind: string
  readonly namespace: string
  readonly name: string
}

/**
 * Graph of objects and their dependents by owner UID. It contains only objects that have owners or that wait for their dependents. Other
 * owners are looked up when a dependent first refers to them. After every change, `attention` is called with the UIDs that must be
 * processed.
 */
export class DependencyGraph {
  readonly #nodes = new Map<string, GraphNode>()
  readonly #owners = new Map<string, Owner>()
  readonly #enqueue: (uid: string) => void

  constructor(enqueue: (uid: string) => void) {
    this.#enqueue = enqueue
  }

  get size(): number {
    return this.#nodes.size
  }

  node(uid: string): GraphNode | undefined {
    return this.#nodes.get(uid)
  }

  dependents(uid: string): readonly GraphNode[] {
    return [...(this.#owners.get(uid)?.dependents ?? [])]
  }

  /** Records the current state of an object. Returns false if the object is not in the graph, because it needs no processing. */
  observe(identity: Identity, metadata: ObjectMeta): boolean {
    const owners = metadata.ownerReferences ?? []
    const beingDeleted = metadata.deletionTimestamp !== undefined
    const waitsFor = (finalizer: string): boolean => beingDeleted && (metadata.finalizers ?? []).includes(finalizer)
    const orphaning = waitsFor(orphanFinalizer)
    const deletingDependents = waitsFor(foregroundFinalizer)
    const present = this.#nodes.get(identity.uid)
    if (owners.length === 0 && !orphaning && !deletingDependents) {
      if (present !== undefined) this.#removeNode(present)
      return false
    }
    const node = present ?? { identity, owners: [], beingDeleted, deletingDependents: false, orphaningDependents: false }
    this.#nodes.set(identity.uid, node)
    this.#setOwners(node, owners)
    node.beingDeleted ||= beingDeleted
    if (orphaning && !node.orphaningDependents) {
      node.orphaningDependents = true
      this.#enqueue(identity.uid)
    } else if (deletingDependents && !node.deletingDependents) {
      node.deletingDependents = true
      this.#enqueueDependents(identity.uid)
      this.#enqueue(identity.uid)
    }
    return true
  }

  /** Records that an object was deleted. */
  remove(uid: string): void {
    const node = this.#nodes.get(uid)
    if (node !== undefined) this.#removeNode(node)
    const owner = this.#owners.get(uid)
    if (owner === undefined) return
    owner.verifiedAs = undefined
    owner.deletions++
    this.#enqueueDependents(uid)
  }

  /** Returns the number of observed deletions. Read it before an owner lookup and pass it to `verified`. */
  deletionsSeen(uid: string): number {
    return this.#owners.get(uid)?.deletions ?? 0
  }

  /**
   * Records that a lookup has found an owner. `deletions` is the number of observed deletions at the start of the lookup. Dependents that
   * refer to the owner with these coordinates need no processing.
   */
  verified(uid: string, coordinates: Coordinates, deletions: number): void {
    const owner = this.#owners.get(uid)
    if (owner !== undefined && owner.deletions === deletions) owner.verifiedAs = coordinates
  }

  /**
   * Adds the dependents of all owners of a kind to the queue, so that their owners are looked up again. Call it if deletions may have been
   * missed.
   */
  reverify({ group, kind }: Pick<GroupVersionKind, 'group' | 'kind'>): void {
    for (const [uid, owner] of this.#owners) {
      if (owner.verifiedAs?.kind !== kind || parseGroupVersion(owner.verifiedAs.apiVersion).group !== group) continue
      owner.verifiedAs = undefined
      this.#enqueueDependents(uid)
    }
  }

  #setOwners(node: GraphNode, owners: readonly OwnerReference[]): void {
    const oldReferences = new Map(node.owners.map((reference) => [reference.uid, reference]))
    node.owners = owners
    let isUnverified = false
    for (const reference of owners) {
      const old = oldReferences.get(reference.uid)
      oldReferences.delete(reference.uid)
      if (old?.blockOwnerDeletion === true && reference.blockOwnerDeletion !== true) this.#enqueue(reference.uid)
      const owner = this.#owners.get(reference.uid) ?? { dependents: new Set(), verifiedAs: undefined, deletions: 0 }
      this.#owners.set(reference.uid, owner)
      owner.dependents.add(node)
      isUnverified ||= !refersTo(reference, node.identity.namespace, owner.verifiedAs)
    }
    for (const uid of oldReferences.keys()) this.#unlink(node, uid)
    if (isUnverified) this.#enqueue(node.identity.uid)
  }

  #unlink(node: GraphNode, uid: string): void {
    const owner = this.#owners.get(uid)
    if (owner?.dependents.delete(node) && owner.dependents.size === 0) this.#owners.delete(uid)
    // Processes the owner if it waits for its dependents, because this object may have been the last one.
    if (this.#nodes.get(uid)?.deletingDependents) this.#enqueue(uid)
  }

  #removeNode(node: GraphNode): void {
    this.#nodes.delete(node.identity.uid)
    for (const { uid } of node.owners) this.#unlink(node, uid)
  }

  #enqueueDependents(uid: string): void {
    for (const { identity } of this.#owners.get(uid)?.dependents ?? []) this.#enqueue(identity.uid)
  }
}

/** Returns whether an owner reference of an object in `namespace` matches the owner that a lookup found. */
function refersTo(reference: OwnerReference, namespace: string, foundCoordinates: Coordinates | undefined): boolean {
  return (
    foundCoordinates !== undefined &&
    reference.apiVersion === foundCoordinates.apiVersion &&
    reference.kind === foundCoordinates.kind &&
    reference.name === foundCoordinates.name &&
    (foundCoordinates.namespace === '' || foundCoordinates.namespace === namespace)
  )
}
