import { formatGroupVersion, isApiError, TimeSlice } from '@keelson/apimachinery'
import type { Clock, KubeObject } from '@keelson/apimachinery'
import { followResource } from '@keelson/loopback'
import type { DeletableResource, LoopbackClient, LoopbackWatchOptions, ObjectChange } from '@keelson/loopback'
import { readSmallMetadata } from '@keelson/storagebackend'
import type { ObjectWatch, StoredObject } from '@keelson/storagebackend'
import type { DependencyGraph, Identity } from './dependency-graph.ts'

export interface Monitor extends AsyncDisposable {
  readonly resource: DeletableResource
  /**
   * Resolves when the graph contains all objects that existed at the start. Resolves after 30 seconds in any case, because a custom resource
   * may be unreadable for a long time, for example if its conversion webhook does not answer.
   */
  readonly synced: Promise<void>
}

export interface MonitorOptions {
  readonly client: LoopbackClient
  readonly resource: DeletableResource
  readonly graph: DependencyGraph
  readonly clock: Clock
  readonly onError: (error: unknown) => void
}

/**
 * Adds the objects of a resource to the graph and updates them on changes. Most objects have no owner and no finalizer. They are recognized
 * by scanning their bytes, so they are not decoded and need no memory.
 */
export function monitorResource({ client, resource, graph, clock, onError }: MonitorOptions): Monitor {
  const abort = new AbortController()
  /** UIDs of the objects in the graph, by key. */
  const uids = new Map<string, string>()
  let markSynced = (): void => {}
  const synced = new Promise<void>((resolve) => (markSynced = resolve))
  const cancelTimeout = clock.after(syncTimeout, () => markSynced())
  let hasSynced = false

  function observe(stored: StoredObject): void {
    if (!uids.has(stored.key) && !mayBeInGraph(stored.body)) return
    const identity = readIdentity(resource, stored)
    if (graph.observe(identity.identity, identity.metadata)) uids.set(stored.key, identity.identity.uid)
    else uids.delete(stored.key)
  }

  async function replace(objects: readonly StoredObject[]): Promise<void> {
    const missing = new Map(uids)
    const slice = new TimeSlice()
    for (const stored of objects) {
      missing.delete(stored.key)
      observe(stored)
      const pause = slice.pauseIfOver()
      if (pause) await pause
      if (abort.signal.aborted) return
    }
    for (const [key, uid] of missing) {
      uids.delete(key)
      graph.remove(uid)
    }
    // After a gap in the watch, looks owners of this kind up again, because one may have been deleted in the gap.
    if (hasSynced) graph.reverify(resource)
    hasSynced = true
    markSynced()
  }

  function apply({ type, object: stored }: ObjectChange<KubeObject>): void {
    if (type !== 'DELETED') return observe(stored)
    uids.delete(stored.key)
    graph.remove(readSmallMetadata(stored).uid ?? '')
  }

  /** Waits for the first object, so that the storages of thousands of custom resources without objects are not created. */
  async function waitForFirstObject(): Promise<void> {
    const onEmpty = (): void => {
      // An owner may be created and deleted before the watch begins, so owners are then looked up again, as after a gap.
      hasSynced = true
      markSynced()
    }
    try {
      await client.resource(resource)?.waitForFirstObject({ signal: abort.signal, onEmpty })
    } catch {
      // The watch reports the reason.
    }
  }

  const following = waitForFirstObject().then(() =>
    followResource({ watch }, { replace, apply }, { clock, signal: abort.signal, onError: report }),
  )

  /** Reports a failed watch, unless a change of the resource's definition has ended it. The next watch then gets all objects. */
  function report(error: unknown): void {
    if (client.resource(resource) !== undefined && !isApiError(error, 'Expired')) onError(error)
  }

  /** Opens a watch on the resource as it is served now. A change of a definition replaces the storage of its custom resource. */
  async function watch(options: LoopbackWatchOptions): Promise<ObjectWatch> {
    const served = client.resource(resource)
    if (served === undefined) throw new Error(`${resource.resource} is no longer served`)
    return served.watch(options)
  }

  return {
    resource,
    synced,
    async [Symbol.asyncDispose]() {
      cancelTimeout()
      abort.abort()
      await following
      // The objects of a resource that is no longer served are gone, or cannot be read.
      for (const uid of uids.values()) graph.remove(uid)
    },
  }
}

/** Longest time in milliseconds that the garbage collector waits for the objects of a resource. */
const syncTimeout = 30_000

/**
 * Parts of "ownerReferences" and "deletionTimestamp", without the leading quote. The search looks for the first byte, and quotes are too
 * frequent for that.
 */
const searchPatterns = ['References":', 'deletionTimestamp":'].map((text) => Buffer.from(text))

/** Returns false only if the object has no owners and is not being deleted. */
function mayBeInGraph(body: Uint8Array): boolean {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  return searchPatterns.some((mark) => bytes.includes(mark))
}

function readIdentity({ group, version, resource, kind }: DeletableResource, stored: StoredObject) {
  const metadata = readSmallMetadata(stored)
  const { namespace = '', name = '', uid = '' } = metadata
  const identity: Identity = { group, resource, apiVersion: formatGroupVersion({ group, version }), kind, namespace, name, uid }
  return { identity, metadata }
}
