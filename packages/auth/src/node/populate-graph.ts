import type { PersistentVolume, Pod } from '@keelson/api/core/v1'
import type { VolumeAttachment } from '@keelson/api/storage/v1'
import { TimeSlice } from '@keelson/apimachinery'
import type { Clock, GroupResource, KubeObject } from '@keelson/apimachinery'
import { followResource } from '@keelson/loopback'
import type { LoopbackClient, ObjectChange } from '@keelson/loopback'
import type { StoredObject } from '@keelson/storagebackend'
import { formatKey } from './node-graph.ts'
import type { NodeGraph } from './node-graph.ts'
import { listPodReferences, listVolumeSecrets } from './object-references.ts'

/**
 * Applies watch events of one resource to the graph. Decodes copies of the objects, because a stored object caches its decoded form and
 * would use more memory.
 */
interface Populator<T extends KubeObject> {
  readonly resource: GroupResource
  /** Kind in the operation names of metrics, for example "Pod" in "AddPod". */
  readonly kind: string
  /** Adds or updates an object. Returns false if the graph did not change. */
  set(stored: StoredObject<T>, isNew: boolean): boolean
  delete(key: string): void
  listKeys(): string[]
  getKey(stored: StoredObject<T>): string
}

export interface PopulateOptions {
  readonly signal: AbortSignal
  readonly onError?: (error: unknown) => void
  readonly clock?: Clock
  /** Called after each change of the graph, with names like "AddPod" and "DeletePV". */
  readonly observe?: GraphObserver | undefined
}

export type GraphObserver = (operation: string, seconds: number) => void

/**
 * Watches pods, volumes, attachments and resource slices and updates the graph until the signal aborts. Skips resources that the server
 * does not serve.
 */
export async function populateGraph(graph: NodeGraph, client: LoopbackClient, options: PopulateOptions): Promise<void> {
  await Promise.all([
    follow(createPodPopulator(graph), client, options),
    follow(createVolumePopulator(graph), client, options),
    follow(createAttachmentPopulator(graph), client, options),
    follow(createSlicePopulator(graph), client, options),
  ])
}

async function follow<T extends KubeObject>(populator: Populator<T>, client: LoopbackClient, options: PopulateOptions): Promise<void> {
  const served = client.resource<T>(populator.resource)
  if (served === undefined) return
  const { signal, observe } = options
  const { kind } = populator

  function set(stored: StoredObject<T>, isNew: boolean): void {
    const began = performance.now()
    if (populator.set(stored, isNew)) observe?.(`Add${kind}`, (performance.now() - began) / 1000)
  }
  function remove(key: string): void {
    const began = performance.now()
    populator.delete(key)
    observe?.(`Delete${kind}`, (performance.now() - began) / 1000)
  }
  async function replace(objects: readonly StoredObject<T>[]): Promise<void> {
    const gone = new Set(populator.listKeys())
    const slice = new TimeSlice()
    for (const stored of objects) {
      gone.delete(populator.getKey(stored))
      set(stored, true)
      const pause = slice.pauseIfOver()
      if (pause) await pause
      if (signal.aborted) return
    }
    for (const key of gone) {
      remove(key)
      const pause = slice.pauseIfOver()
      if (pause) await pause
    }
  }
  const apply = ({ type, object: stored }: ObjectChange<T>): void => {
    if (type === 'DELETED') remove(populator.getKey(stored))
    else set(stored, type === 'ADDED')
  }
  await followResource(served, { replace, apply }, options)
}

/** Field names of a pod that may get new references after the pod is bound. */
const changingReferences = ['ephemeralContainers":', 'resourceClaimStatuses":'].map((text) => Buffer.from(text))

function createPodPopulator(graph: NodeGraph): Populator<Pod> {
  const formatPodKey = (stored: StoredObject<Pod>): string => formatKey(stored.field('metadata.namespace'), stored.field('metadata.name'))
  return {
    resource: { group: '', resource: 'pods' },
    kind: 'Pod',
    set(stored, isNew) {
      const node = stored.field('spec.nodeName')
      if (node === '') return false
      const key = formatPodKey(stored)
      // Skips status updates, which are the majority. A bound pod keeps its node and most of its references.
      if (!isNew && graph.nodeOfPod(key) === node && !mentions(stored.body, changingReferences)) return false
      graph.setPod(key, node, listPodReferences(stored.copy()))
      return true
    },
    delete: (key) => graph.deletePod(key),
    listKeys: () => graph.keys('pods'),
    getKey: formatPodKey,
  }
}

function createVolumePopulator(graph: NodeGraph): Populator<PersistentVolume> {
  return {
    resource: { group: '', resource: 'persistentvolumes' },
    kind: 'PV',
    set(stored) {
      const volume = stored.copy()
      const { claimRef } = volume.spec ?? {}
      const claim = claimRef && { namespace: claimRef.namespace ?? '', name: claimRef.name ?? '' }
      graph.setVolume(volume.metadata.name ?? '', claim, claim === undefined ? [] : listVolumeSecrets(volume))
      return true
    },
    delete: (key) => graph.deleteVolume(key),
    listKeys: () => graph.keys('persistentvolumes'),
    getKey: readName,
  }
}

/** Creates the populator of volume attachments. The node of an attachment is immutable. */
function createAttachmentPopulator(graph: NodeGraph): Populator<VolumeAttachment> {
  return {
    resource: { group: 'storage.k8s.io', resource: 'volumeattachments' },
    kind: 'VolumeAttachment',
    set(stored, isNew) {
      if (isNew) graph.setNode('volumeattachments', readName(stored), stored.copy().spec.nodeName)
      return isNew
    },
    delete: (key) => graph.setNode('volumeattachments', key, ''),
    listKeys: () => graph.keys('volumeattachments'),
    getKey: readName,
  }
}

function createSlicePopulator(graph: NodeGraph): Populator<KubeObject> {
  return {
    resource: { group: 'resource.k8s.io', resource: 'resourceslices' },
    kind: 'ResourceSlice',
    set(stored, isNew) {
      if (isNew) graph.setNode('resourceslices', readName(stored), stored.field('spec.nodeName'))
      return isNew
    },
    delete: (key) => graph.setNode('resourceslices', key, ''),
    listKeys: () => graph.keys('resourceslices'),
    getKey: readName,
  }
}

function readName(stored: StoredObject): string {
  return stored.field('metadata.name')
}

function mentions(body: Uint8Array, texts: readonly Buffer[]): boolean {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  return texts.some((text) => bytes.includes(text))
}
