import { isApiError, TimeSlice } from '@keelson/apimachinery'
import { WorkQueue } from '@keelson/loopback'
import type { DeletableResource } from '@keelson/loopback'
import { disposeAll, waitUntilSynced } from '../controller.ts'
import type { StartController } from '../controller.ts'
import { collect } from './collect.ts'
import { DependencyGraph } from './dependency-graph.ts'
import { monitorResource } from './monitor-resource.ts'
import type { Monitor } from './monitor-resource.ts'
import { UnknownKindError } from './owner-lookup.ts'

const name = 'garbage-collector-controller'
/**
 * Delay in milliseconds between a change of the served resources and its effect on the monitors. Definitions are often created in large
 * numbers, and each change of a definition removes its resource and adds it again.
 */
const resyncDelay = 100
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
  /** The resources with which the monitors were compared last. */
  let monitored: ReadonlySet<DeletableResource> = new Set()
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

  /** Monitors the resources that are served now. Pauses between resources, because there may be thousands of custom ones. */
  async function updateMonitors(): Promise<void> {
    const before = monitored
    monitored = new Set(client.listDeletableResources())
    const added = [...monitored].filter((resource) => !before.has(resource))
    const removed = new Set(
      Array.from(before)
        .filter((resource) => !monitored.has(resource))
        .map(formatKey),
    )
    const slice = new TimeSlice()
    for (const resource of added) {
      const key = formatKey(resource)
      removed.delete(key)
      const present = monitors.get(key)
      if (ignored.has(key) || (present !== undefined && isSameKind(present.resource, resource))) continue
      void present?.[Symbol.asyncDispose]()
      monitors.set(key, monitorResource({ client, resource, graph, clock, onError: report }))
      const pause = slice.pauseIfOver()
      if (pause) await pause
      if (isStopped) return
    }
    for (const key of removed) {
      void monitors.get(key)?.[Symbol.asyncDispose]()
      monitors.delete(key)
    }
  }

  async function waitForMonitors(): Promise<void> {
    await updated
    await Promise.all(Array.from(monitors.values(), ({ synced }) => synced))
  }

  let isStopped = false
  let cancel: (() => void) | undefined
  let updated = updateMonitors()
  let allSynced = waitForMonitors()
  const unsubscribe = client.subscribe(() => {
    cancel ??= clock.after(resyncDelay, () => {
      cancel = undefined
      updated = updated.then(updateMonitors)
      allSynced = waitForMonitors()
    })
  })

  return disposeAll(
    {
      async [Symbol.asyncDispose]() {
        await Promise.all(Array.from(monitors.values(), (monitor) => monitor[Symbol.asyncDispose]()))
      },
    },
    queue,
    () => {
      isStopped = true
      unsubscribe()
      cancel?.()
    },
  )
}

function formatKey({ group, resource }: DeletableResource): string {
  return `${resource}.${group}`
}

function isSameKind(a: DeletableResource, b: DeletableResource): boolean {
  return a.version === b.version && a.kind === b.kind && a.namespaced === b.namespaced
}
