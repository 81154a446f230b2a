import type { ObjectReference, UsedResource } from './object-references.ts'

/** Resources whose objects the graph relates to nodes. */
export type RelatedResource = UsedResource | 'pods' | 'persistentvolumes' | 'volumeattachments' | 'resourceslices'

interface Pod {
  readonly node: string
  readonly uses: readonly UsedObject[]
}

/** A volume that is bound to a claim. */
interface Volume {
  readonly claim: UsedObject
  readonly secrets: readonly UsedObject[]
}

/**
 * Index of the objects that each node needs. In this diagram, arrows are references:
 *
 *     secret, configmap, serviceaccount, resourceclaim <- pod -> node
 *     secret <- volume -> claim <- pod
 *     volumeattachment, resourceslice -> node
 *
 * Each used object counts its references per node. A change of a claim's nodes immediately updates the secrets of its volumes. So a decision is
 * a single lookup.
 */
export class NodeGraph {
  readonly #used: Readonly<Record<UsedResource, Map<string, UsedObject>>> = {
    secrets: new Map(),
    configmaps: new Map(),
    serviceaccounts: new Map(),
    persistentvolumeclaims: new Map(),
    resourceclaims: new Map(),
  }
  readonly #pods = new Map<string, Pod>()
  readonly #volumes = new Map<string, Volume>()
  /** Node of each volume attachment and resource slice, by name. */
  readonly #onNode: Readonly<Record<'volumeattachments' | 'resourceslices', Map<string, string>>> = {
    volumeattachments: new Map(),
    resourceslices: new Map(),
  }

  /** Returns whether the node needs the object. `namespace` is "" for cluster-scoped objects. */
  isRelated(resource: RelatedResource, { namespace, name }: { readonly namespace: string; readonly name: string }, node: string): boolean {
    switch (resource) {
      case 'pods':
        return this.#pods.get(formatKey(namespace, name))?.node === node
      case 'persistentvolumes':
        return namespace === '' && this.#volumes.get(name)?.claim.isOn(node) === true
      case 'volumeattachments':
      case 'resourceslices':
        return namespace === '' && this.#onNode[resource].get(name) === node
      default:
        return this.#used[resource].get(formatKey(namespace, name))?.isOn(node) === true
    }
  }

  /** Returns the node of a pod; undefined if the graph does not have the pod. */
  nodeOfPod(key: string): string | undefined {
    return this.#pods.get(key)?.node
  }

  /** Lists the keys of the pods or the names of the cluster-scoped objects of a resource. */
  keys(resource: 'pods' | 'persistentvolumes' | 'volumeattachments' | 'resourceslices'): string[] {
    const objects = resource === 'pods' ? this.#pods : resource === 'persistentvolumes' ? this.#volumes : this.#onNode[resource]
    return [...objects.keys()]
  }

  /** Number of objects that a pod or volume uses, for tests. Unused objects must have been removed. */
  get usedObjects(): number {
    return Object.values(this.#used).reduce((total, objects) => total + objects.size, 0)
  }

  /** Adds or replaces a pod that runs on a node. `key` identifies the pod. */
  setPod(key: string, node: string, references: readonly ObjectReference[]): void {
    const old = this.#pods.get(key)
    const uses = this.#find(references)
    for (const object of uses) object.add(node)
    this.#pods.set(key, { node, uses })
    // New references are added before old ones are released, so that objects used by both stay.
    if (old !== undefined) this.#releasePod(old)
  }

  deletePod(key: string): void {
    const old = this.#pods.get(key)
    if (old === undefined) return
    this.#pods.delete(key)
    this.#releasePod(old)
  }

  /** Adds or replaces a volume. A volume without a claim is not related to any node. */
  setVolume(
    name: string,
    claim: { readonly namespace: string; readonly name: string } | undefined,
    secrets: readonly ObjectReference[],
  ): void {
    const old = this.#volumes.get(name)
    if (claim === undefined) this.#volumes.delete(name)
    else {
      const [bound] = this.#find([{ resource: 'persistentvolumeclaims', ...claim }])
      const volume: Volume = { claim: bound!, secrets: this.#find(secrets) }
      bound!.bind(volume)
      this.#volumes.set(name, volume)
    }
    if (old !== undefined) this.#releaseVolume(old)
  }

  deleteVolume(name: string): void {
    this.setVolume(name, undefined, [])
  }

  /** Sets the node of a volume attachment or resource slice. "" removes the object. */
  setNode(resource: 'volumeattachments' | 'resourceslices', name: string, node: string): void {
    if (node === '') this.#onNode[resource].delete(name)
    else this.#onNode[resource].set(name, node)
  }

  /** Returns the referenced objects without duplicates. Creates missing ones. */
  #find(references: readonly ObjectReference[]): UsedObject[] {
    const related = new Set<UsedObject>()
    for (const { resource, namespace, name } of references) {
      const objects = this.#used[resource]
      const key = formatKey(namespace, name)
      let object = objects.get(key)
      if (object === undefined) objects.set(key, (object = new UsedObject(resource, key)))
      related.add(object)
    }
    return [...related]
  }

  #releasePod({ node, uses }: Pod): void {
    for (const object of uses) {
      object.remove(node)
      this.#drop(object)
    }
  }

  #releaseVolume(volume: Volume): void {
    volume.claim.unbind(volume)
    this.#drop(volume.claim)
    for (const secret of volume.secrets) this.#drop(secret)
  }

  #drop(object: UsedObject): void {
    if (object.isUnused) this.#used[object.resource].delete(object.key)
  }
}

export function formatKey(namespace: string, name: string): string {
  return `${namespace}/${name}`
}

/**
 * An object that pods or volumes use, with the number of references from each node. Most objects are used on one node, so the map is
 * created for the second node.
 */
class UsedObject {
  readonly resource: UsedResource
  readonly key: string
  #node = ''
  #count = 0
  #more: Map<string, number> | undefined
  /** Volumes bound to this claim. */
  #volumes: Set<Volume> | undefined
  /** Number of volumes that refer to this secret. */
  #holders = 0

  constructor(resource: UsedResource, key: string) {
    this.resource = resource
    this.key = key
  }

  get isUnused(): boolean {
    return this.#count === 0 && this.#more === undefined && this.#volumes === undefined && this.#holders === 0
  }

  isOn(node: string): boolean {
    return (this.#count > 0 && this.#node === node) || this.#more?.has(node) === true
  }

  /** Adds a reference from the node. */
  add(node: string): void {
    const before = this.#getCount(node)
    this.#setCount(node, before + 1)
    if (before === 0) for (const { secrets } of this.#volumes ?? []) for (const secret of secrets) secret.add(node)
  }

  /** Removes a reference from the node. */
  remove(node: string): void {
    const count = this.#getCount(node) - 1
    this.#setCount(node, count)
    if (count === 0) for (const { secrets } of this.#volumes ?? []) for (const secret of secrets) secret.remove(node)
  }

  /** Binds a volume to this claim. The volume's secrets are then used on the nodes of the claim. */
  bind(volume: Volume): void {
    this.#volumes = (this.#volumes ?? new Set()).add(volume)
    for (const secret of volume.secrets) {
      secret.#holders++
      for (const node of this.#listNodes()) secret.add(node)
    }
  }

  unbind(volume: Volume): void {
    this.#volumes?.delete(volume)
    if (this.#volumes?.size === 0) this.#volumes = undefined
    for (const secret of volume.secrets) {
      secret.#holders--
      for (const node of this.#listNodes()) secret.remove(node)
    }
  }

  #listNodes(): string[] {
    return [...(this.#count > 0 ? [this.#node] : []), ...(this.#more?.keys() ?? [])]
  }

  #getCount(node: string): number {
    return this.#count > 0 && this.#node === node ? this.#count : (this.#more?.get(node) ?? 0)
  }

  #setCount(node: string, count: number): void {
    const isMore = this.#more?.has(node) === true
    if (!isMore && (this.#count === 0 || this.#node === node)) {
      this.#node = count === 0 ? '' : node
      this.#count = count
    } else if (count > 0) (this.#more ??= new Map()).set(node, count)
    else if (this.#more?.delete(node) === true && this.#more.size === 0) this.#more = undefined
  }
}
