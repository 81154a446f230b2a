import type { ObjectMeta, OwnerReference } from '@keelson/apimachinery'

export const orphanFinalizer = 'orphan'
export const foregroundFinalizer = 'foregroundDeletion'

/** Which object; `apiVersion` and `kind` as owner references name it. */
export interface Identity {
  readonly group: string
  readonly resource: string
  readonly apiVersion: string
  readonly kind: string
  /** "" for cluster-wide ones. */
  readonly namespace: string
  readonly name: string
  readonly uid: string
}

export interface GraphNode {
  readonly identity: Identity
  owners: readonly OwnerReference[]
  beingDeleted: boolean
  /** It waits, by its finalizer, until its dependents are gone. */
  deletingDependents: boolean
  /** It waits, by its finalizer, until its dependents are released. */
  orphaningDependents: boolean
}

interface Owner {
  readonly dependents: Set<GraphNode>
  /** As whom it was found; undefined while nobody looked, or when it has changed since. */
  verifiedAs: Coordinates | undefined
  /** Goes up with each deletion seen, so that an answer that was on its way then is not believed. */
  deletions: number
}

export interface Coordinates {
  readonly apiVersion: string
  readonly kind: string
  readonly namespace: string
  readonly name: string
}

/**
 * Who depends on whom, by uid. Holds only objects that have owners or that wait for their dependents: an owner that nothing is asked of is not
 * kept, but looked up when a dependent first names it. Every change calls `attention` with the uids that must be looked at.
 */
export class DependencyGraph {
  readonly #nodes = new Map<string, GraphNode>()
  readonly #owners = new Map<string, Owner>()
  readonly #attention: (uid: string) => void

  constructor(attention: (uid: string) => void) {
    this.#attention = attention
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

  /** An object as it is now. False: it is none of the graph's business. */
  observe(identity: Identity, metadata: ObjectMeta): boolean {
    const owners = metadata.ownerReferences ?? []
    const beingDeleted = metadata.deletionTimestamp !== undefined
    const waitsFor = (finalizer: string): boolean => beingDeleted && (metadata.finalizers ?? []).includes(finalizer)
    const orphaning = waitsFor(orphanFinalizer)
    const deletingDependents = waitsFor(foregroundFinalizer)
    const present = this.#nodes.get(identity.uid)
    if (owners.length === 0 && !orphaning && !deletingDependents) {
      if (present !== undefined) this.#forget(present)
      return false
    }
    const node = present ?? { identity, owners: [], beingDeleted, deletingDependents: false, orphaningDependents: false }
    this.#nodes.set(identity.uid, node)
    this.#setOwners(node, owners)
    node.beingDeleted ||= beingDeleted
    if (orphaning && !node.orphaningDependents) {
      node.orphaningDependents = true
      this.#attention(identity.uid)
    } else if (deletingDependents && !node.deletingDependents) {
      node.deletingDependents = true
      this.#attendToDependents(identity.uid)
      this.#attention(identity.uid)
    }
    return true
  }

  /** The object is no longer there. */
  remove(uid: string): void {
    const node = this.#nodes.get(uid)
    if (node !== undefined) this.#forget(node)
    const owner = this.#owners.get(uid)
    if (owner === undefined) return
    owner.verifiedAs = undefined
    owner.deletions++
    this.#attendToDependents(uid)
  }

  /** To be asked before an owner is looked up; the answer is for `verified`. */
  deletionsSeen(uid: string): number {
    return this.#owners.get(uid)?.deletions ?? 0
  }

  /** The owner was found, by a look that began when `deletionsSeen` was `deletions`. Dependents that name it alike need not be looked at. */
  verified(uid: string, coordinates: Coordinates, deletions: number): void {
    const owner = this.#owners.get(uid)
    if (owner !== undefined && owner.deletions === deletions) owner.verifiedAs = coordinates
  }

  /** Deletions may have been missed: every owner is looked up again. */
  doubtAll(): void {
    for (const [uid, owner] of this.#owners) {
      owner.verifiedAs = undefined
      this.#attendToDependents(uid)
    }
  }

  #setOwners(node: GraphNode, owners: readonly OwnerReference[]): void {
    const before = new Map(node.owners.map((reference) => [reference.uid, reference]))
    node.owners = owners
    let doubtful = false
    for (const reference of owners) {
      const old = before.get(reference.uid)
      before.delete(reference.uid)
      if (old?.blockOwnerDeletion === true && reference.blockOwnerDeletion !== true) this.#attention(reference.uid)
      const owner = this.#owners.get(reference.uid) ?? { dependents: new Set(), verifiedAs: undefined, deletions: 0 }
      this.#owners.set(reference.uid, owner)
      owner.dependents.add(node)
      doubtful ||= !names(reference, node.identity.namespace, owner.verifiedAs)
    }
    for (const uid of before.keys()) this.#unlink(node, uid)
    if (doubtful) this.#attention(node.identity.uid)
  }

  #unlink(node: GraphNode, uid: string): void {
    const owner = this.#owners.get(uid)
    if (owner?.dependents.delete(node) && owner.dependents.size === 0) this.#owners.delete(uid)
    // It may have waited for this one.
    if (this.#nodes.get(uid)?.deletingDependents) this.#attention(uid)
  }

  #forget(node: GraphNode): void {
    this.#nodes.delete(node.identity.uid)
    for (const { uid } of node.owners) this.#unlink(node, uid)
  }

  #attendToDependents(uid: string): void {
    for (const { identity } of this.#owners.get(uid)?.dependents ?? []) this.#attention(identity.uid)
  }
}

/** Whether a reference from an object in `namespace` means the owner that was found. */
function names(reference: OwnerReference, namespace: string, found: Coordinates | undefined): boolean {
  return (
    found !== undefined &&
    reference.apiVersion === found.apiVersion &&
    reference.kind === found.kind &&
    reference.name === found.name &&
    (found.namespace === '' || found.namespace === namespace)
  )
}
