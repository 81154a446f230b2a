import { isApiError } from '@keelson/apimachinery'
import { WorkQueue } from '@keelson/loopback'
import { disposeAll, waitUntilSynced } from '../controller.ts'
import type { StartController } from '../controller.ts'
import { collect } from './collect.ts'
import { DependencyGraph } from './dependency-graph.ts'
import { monitorResource } from './monitor-resource.ts'
import type { Monitor } from './monitor-resource.ts'
import { UnknownKindError } from './owner-lookup.ts'

const name = 'garbage-collector-controller'
/** Interval in milliseconds between checks for added and removed resources. */
const resyncInterval = 30_000
/**
 * Delay in milliseconds before dependents are orphaned. Resources are watched independently, so events of dependents that were created just
 * before the deletion may arrive late. Without the delay, such dependents would not be orphaned but deleted later.
 */
const settleTime = 250
/** Resources that are never garbage-collected: events, in both API groups. */
const ignored = new Set(['events.', 'events.events.k8s.io'])

/** Starts the garbage collector. It deletes objects whose owners do not exist, and completes foreground and orphan deletions. */
export const startGarbageCollector: StartController = ({ client, clock, metrics, onError }) => {
  const report = (error: unknown): void => onError(name, error)
  const monitors = new Map<string, Monitor>()
  const queue = new WorkQueue({
    name: 'garbage_collector_attempt_to_delete',
    metrics,
    clock,
    workers: 8,
    process: async (uid, signal) => {
      // Waits until the graph is complete, because an owner that is not in an incomplete graph may still exist.
      if (await waitUntilSynced(signal, { synced: allSynced })) await collect(uid, { client, graph, enqueue: (other) => queue.add(other) })
    },
    // Retries without reporting, because conflicts and kinds that are not served yet are expected.
    onError: (_uid, error) => {
      if (!isApiError(error, 'Conflict') && !(error instanceof UnknownKindError)) report(error)
    },
  })
  const graph = new DependencyGraph((uid) => {
    if (graph.node(uid)?.orphaningDependents) queue.addAfter(uid, settleTime)
    else queue.add(uid)
  })

  function resync(): void {
    const gone = new Set(monitors.keys())
    for (const resource of client.deletableResources()) {
      const key = `${resource.resource}.${resource.group}`
      gone.delete(key)
      const served = client.resource(resource)
      if (served === undefined || ignored.has(key) || monitors.has(key)) continue
      monitors.set(key, monitorResource({ served, resource, graph, clock, onError: report }))
    }
    for (const key of gone) {
      void monitors.get(key)?.[Symbol.asyncDispose]()
      monitors.delete(key)
    }
    allSynced = Promise.all(Array.from(monitors.values(), ({ synced }) => synced)).then(() => {})
    cancel = clock.after(resyncInterval, resync)
  }
  let cancel = (): void => {}
  let allSynced: Promise<void>
  resync()

  return disposeAll(
    {
      async [Symbol.asyncDispose]() {
        await Promise.all(Array.from(monitors.values(), (monitor) => monitor[Symbol.asyncDispose]()))
      },
    },
    queue,
    () => cancel(),
  )
}
