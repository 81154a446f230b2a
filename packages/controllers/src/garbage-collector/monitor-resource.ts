import type { Clock, KubeObject } from '@keelson/apimachinery'
import { followResource } from '@keelson/loopback'
import type { DeletableResource, LoopbackResource, ObjectChange } from '@keelson/loopback'
import { readMetadata, TimeSlices } from '@keelson/storagebackend'
import type { StoredObject } from '@keelson/storagebackend'
import type { DependencyGraph, Identity } from './dependency-graph.ts'

export interface Monitor extends AsyncDisposable {
  /** Everything that was there when it began is in the graph. */
  readonly synced: Promise<void>
}

export interface MonitorOptions {
  readonly served: LoopbackResource
  readonly resource: DeletableResource
  readonly graph: DependencyGraph
  readonly clock: Clock
  readonly onError: (error: unknown) => void
}

/**
 * Tells the graph of every object of a resource. Most objects have no owner and wait for nobody: of these only the bytes are glanced at, and
 * nothing is kept.
 */
export function monitorResource({ served, resource, graph, clock, onError }: MonitorOptions): Monitor {
  const stop = new AbortController()
  /** Objects that are in the graph: key → uid. */
  const known = new Map<string, string>()
  let markSynced = (): void => {}
  const synced = new Promise<void>((resolve) => (markSynced = resolve))
  let began = false

  function observe(stored: StoredObject): void {
    if (!known.has(stored.key) && !mayConcern(stored.body)) return
    const identity = identityOf(resource, stored)
    if (graph.observe(identity.identity, identity.metadata)) known.set(stored.key, identity.identity.uid)
    else known.delete(stored.key)
  }

  async function replace(objects: readonly StoredObject[]): Promise<void> {
    const gone = new Map(known)
    const slices = new TimeSlices()
    for (const stored of objects) {
      gone.delete(stored.key)
      observe(stored)
      const pause = slices.due()
      if (pause) await pause
      if (stop.signal.aborted) return
    }
    for (const [key, uid] of gone) {
      known.delete(key)
      graph.remove(uid)
    }
    // What was deleted meanwhile may have been an owner that the graph does not hold.
    if (began) graph.doubtAll()
    began = true
    markSynced()
  }

  function apply({ type, object: stored }: ObjectChange<KubeObject>): void {
    if (type !== 'DELETED') return observe(stored)
    known.delete(stored.key)
    graph.remove(readMetadata(stored).uid ?? '')
  }

  const done = followResource(served, { replace, apply }, { clock, signal: stop.signal, onError })
  return {
    synced,
    async [Symbol.asyncDispose]() {
      stop.abort()
      await done
    },
  }
}

/** Parts of "ownerReferences" and "deletionTimestamp": a search goes from one first byte to the next, and quotes are everywhere. */
const marks = ['References":', 'deletionTimestamp":'].map((text) => Buffer.from(text))

/** False only for what has neither owners nor a deletion to wait for. */
function mayConcern(body: Uint8Array): boolean {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  return marks.some((mark) => bytes.includes(mark))
}

function identityOf({ group, version, resource, kind }: DeletableResource, stored: StoredObject) {
  const metadata = readMetadata(stored)
  const { namespace = '', name = '', uid = '' } = metadata
  const identity: Identity = { group, resource, apiVersion: group === '' ? version : `${group}/${version}`, kind, namespace, name, uid }
  return { identity, metadata }
}
