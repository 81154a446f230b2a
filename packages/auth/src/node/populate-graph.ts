import type { PersistentVolume, Pod } from '@keelson/api/core/v1'
import type { VolumeAttachment } from '@keelson/api/storage/v1'
import { TimeSlice } from '@keelson/apimachinery'
import type { Clock, GroupResource, KubeObject } from '@keelson/apimachinery'
import { followResource } from '@keelson/loopback'
import type { LoopbackClient, ObjectChange } from '@keelson/loopback'
import type { StoredObject } from '@keelson/storagebackend'
import { keyOf } from './node-graph.ts'
import type { NodeGraph } from './node-graph.ts'
import { podReferences, volumeSecrets } from './object-references.ts'

/** Applies the changes of one resource to the graph. Objects are decoded as copies: a stored object would keep its decoded form. */
interface Populator<T extends KubeObject> {
  readonly resource: GroupResource
  set(stored: StoredObject<T>, isNew: boolean): void
  delete(key: string): void
  keys(): string[]
  keyOf(stored: StoredObject<T>): string
}

export interface PopulateOptions {
  readonly signal: AbortSignal
  readonly onError?: (error: unknown) => void
  readonly clock?: Clock
}

/** Follows pods, volumes, attachments and resource slices until the signal aborts. Resources that are not served are left out. */
export async function populateGraph(graph: NodeGraph, client: LoopbackClient, options: PopulateOptions): Promise<void> {
  await Promise.all([
    follow(podsOf(graph), client, options),
    follow(volumesOf(graph), client, options),
    follow(attachmentsOf(graph), client, options),
    follow(slicesOf(graph), client, options),
  ])
}

async function follow<T extends KubeObject>(populator: Populator<T>, client: LoopbackClient, options: PopulateOptions): Promise<void> {
  const served = client.resource<T>(populator.resource)
  if (served === undefined) return
  const { signal } = options

  async function replace(objects: readonly StoredObject<T>[]): Promise<void> {
    const gone = new Set(populator.keys())
    const slice = new TimeSlice()
    for (const stored of objects) {
      gone.delete(populator.keyOf(stored))
      populator.set(stored, true)
      const pause = slice.pauseIfOver()
      if (pause) await pause
      if (signal.aborted) return
    }
    for (const key of gone) populator.delete(key)
  }
  const apply = ({ type, object: stored }: ObjectChange<T>): void => {
    if (type === 'DELETED') populator.delete(populator.keyOf(stored))
    else populator.set(stored, type === 'ADDED')
  }
  await followResource(served, { replace, apply }, options)
}

/** Parts of a pod that may get new references after the pod is bound. */
const changingReferences = ['ephemeralContainers":', 'resourceClaimStatuses":'].map((text) => Buffer.from(text))

function podsOf(graph: NodeGraph): Populator<Pod> {
  const keyOfPod = (stored: StoredObject<Pod>): string => keyOf(stored.field('metadata.namespace'), stored.field('metadata.name'))
  return {
    resource: { group: '', resource: 'pods' },
    set(stored, isNew) {
      const node = stored.field('spec.nodeName')
      if (node === '') return
      const key = keyOfPod(stored)
      // Most changes are of the status. A bound pod keeps its node, and most of its references.
      if (!isNew && graph.nodeOfPod(key) === node && !mentions(stored.body, changingReferences)) return
      graph.setPod(key, node, podReferences(stored.copy()))
    },
    delete: (key) => graph.deletePod(key),
    keys: () => graph.keys('pods'),
    keyOf: keyOfPod,
  }
}

function volumesOf(graph: NodeGraph): Populator<PersistentVolume> {
  return {
    resource: { group: '', resource: 'persistentvolumes' },
    set(stored) {
      const volume = stored.copy()
      const { claimRef } = volume.spec ?? {}
      const claim = claimRef && { namespace: claimRef.namespace ?? '', name: claimRef.name ?? '' }
      graph.setVolume(volume.metadata.name ?? '', claim, claim === undefined ? [] : volumeSecrets(volume))
    },
    delete: (key) => graph.deleteVolume(key),
    keys: () => graph.keys('persistentvolumes'),
    keyOf: nameOf,
  }
}

/** The node of attachments and slices is immutable. */
function attachmentsOf(graph: NodeGraph): Populator<VolumeAttachment> {
  return {
    resource: { group: 'storage.k8s.io', resource: 'volumeattachments' },
    set(stored, isNew) {
      if (isNew) graph.setNodeOf('volumeattachments', nameOf(stored), stored.copy().spec.nodeName)
    },
    delete: (key) => graph.setNodeOf('volumeattachments', key, ''),
    keys: () => graph.keys('volumeattachments'),
    keyOf: nameOf,
  }
}

function slicesOf(graph: NodeGraph): Populator<KubeObject> {
  return {
    resource: { group: 'resource.k8s.io', resource: 'resourceslices' },
    set(stored, isNew) {
      if (isNew) graph.setNodeOf('resourceslices', nameOf(stored), stored.field('spec.nodeName'))
    },
    delete: (key) => graph.setNodeOf('resourceslices', key, ''),
    keys: () => graph.keys('resourceslices'),
    keyOf: nameOf,
  }
}

function nameOf(stored: StoredObject): string {
  return stored.field('metadata.name')
}

function mentions(body: Uint8Array, texts: readonly Buffer[]): boolean {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  return texts.some((text) => bytes.includes(text))
}
