import type { ObjectMeta, OwnerReference } from '@keelson/apimachinery'

export const orphanFinalizer = 'orphan'
export const foregroundFinalizer = 'foregroundDeletion'

/** Identifies an object. `apiVersion` and `kind` are as in owner references. */
export interface Identity {
  readonly group: string
  readonly resource: string
  readonly apiVersion: string
  readonly kind: string
  /** The namespace; "" for cluster-scoped objects. */
  readonly namespace: string
  readonly name: string
  readonly uid: string
}

export interface GraphNode {
  readonly identity: Identity
  owners: readonly OwnerReference[]
  beingDeleted: boolean
  /** Whether it has the foregroundDeletion finalizer and waits for its dependents to be deleted. */
  deletingDependents: boolean
  /** Whether it has the orphan finalizer and waits for its dependents to be released. */
  orphaningDependents: boolean
}

interface Owner {
  readonly dependents: Set<GraphNode>
  /** The coordinates of the last successful owner lookup; undefined before the first one and after changes. */
  verifiedAs: Coordinates | undefined
  /** The number of observed deletions. It invalidates lookups in progress. */
  deletions: number
}

export interface Coordinates {
  readonly apiVersion: string
  readonly kind: string
  readonly namespace: string
  readonly name: string
}

/**
 * A graph of dependents by owner uid. It has only objects that have owners or wait for their dependents. Other owners are looked up when a dependent first
 * references them. Every change calls `attention` with the uids to process.
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

  /** Records an object's current state. Returns false if the graph does not need it. */
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

  /** Records the deletion of an object. */
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

  /** Records an owner that a lookup found. `deletions` is the number at its start. Dependents with the same coordinates need no processing. */
  verified(uid: string, coordinates: Coordinates, deletions: number): void {
    const owner = this.#owners.get(uid)
    if (owner !== undefined && owner.deletions === deletions) owner.verifiedAs = coordinates
  }

  /** Queues all dependents for new owner lookups, because deletions may have been missed. */
  reverifyAll(): void {
    for (const [uid, owner] of this.#owners) {
      owner.verifiedAs = undefined
      this.#enqueueDependents(uid)
    }
  }

  #setOwners(node: GraphNode, owners: readonly OwnerReference[]): void {
    const before = new Map(node.owners.map((reference) => [reference.uid, reference]))
    node.owners = owners
    let isUnverified = false
    for (const reference of owners) {
      const old = before.get(reference.uid)
      before.delete(reference.uid)
      if (old?.blockOwnerDeletion === true && reference.blockOwnerDeletion !== true) this.#enqueue(reference.uid)
      const owner = this.#owners.get(reference.uid) ?? { dependents: new Set(), verifiedAs: undefined, deletions: 0 }
      this.#owners.set(reference.uid, owner)
      owner.dependents.add(node)
      isUnverified ||= !refersTo(reference, node.identity.namespace, owner.verifiedAs)
    }
    for (const uid of before.keys()) this.#unlink(node, uid)
    if (isUnverified) this.#enqueue(node.identity.uid)
  }

  #unlink(node: GraphNode, uid: string): void {
    const owner = this.#owners.get(uid)
    if (owner?.dependents.delete(node) && owner.dependents.size === 0) this.#owners.delete(uid)
    // This object may have been the owner's last dependent.
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

/** Returns whether a reference from an object in `namespace` matches the owner that a lookup found. */
function refersTo(reference: OwnerReference, namespace: string, found: Coordinates | undefined): boolean {
  return (
    found !== undefined &&
    reference.apiVersion === found.apiVersion &&
    reference.kind === found.kind &&
    reference.name === found.name &&
    (found.namespace === '' || found.namespace === namespace)
  )
}
