import { equalsSemantically } from '@keelson/apimachinery'
import type { DeepReadonly } from '@keelson/apimachinery'
import { findController, followResource, isControlledBy, startWorkloadController } from './workload-controller.ts'
import type { Pod, ReplicaSet, WorkloadContext } from './workload-controller.ts'

/** Time in milliseconds between the first pods of a replica set and the pods that replace them when they have finished. It doubles for the next ones. */
const firstDelay = 10_000
const longestDelay = 5 * 60_000

/** Starts the controller that keeps the number of pods of each replica set. */
export function startReplicaSets(context: WorkloadContext): AsyncDisposable {
  const sets = followResource<ReplicaSet>(context, 'apps', 'replicasets')
  const pods = followResource<Pod>(context, '', 'pods')
  const controller = startWorkloadController(context, {
    followed: sets,
    async reconcile(set, repeatAfter) {
      const { namespace = '', name = '', deletionTimestamp } = set.metadata
      const { items } = await pods.resource.list({ namespace, resourceVersion: '' })
      const controlled = items.filter((pod) => isControlledBy(pod, set) && pod.metadata.deletionTimestamp == null)
      const finished = controlled.filter(isFinished)
      const active = controlled.filter((pod) => !isFinished(pod))
      const wanted = set.spec?.replicas ?? 1
      if (deletionTimestamp == null) {
        const delays = listReplacementDelays(finished, wanted, context.clock.now())
        for (let count = active.length + delays.length; count < wanted; count++) await pods.resource.create(namespace, createPod(set))
        for (const pod of sortForDeletion(active).slice(0, Math.max(0, active.length - wanted)))
          await pods.resource.delete(namespace, pod.metadata.name ?? '')
        if (active.length < wanted && delays.length > 0) repeatAfter(delays.reduce((shortest, delay) => Math.min(shortest, delay)))
      }
      const ready = active.filter(isPodReady).length
      const { generation: observedGeneration = 0 } = set.metadata
      const counts = {
        replicas: active.length,
        fullyLabeledReplicas: active.length,
        readyReplicas: ready,
        availableReplicas: ready,
        observedGeneration,
      }
      const { status } = set
      if (status !== undefined && equalsSemantically({ ...status, ...counts }, status)) return
      await sets.resource.update(namespace, name, (current) => ({ ...current, status: { ...current.status, ...counts } }), {
        subresource: 'status',
      })
    },
  })
  const unsubscribe = pods.informer.subscribe(({ object }) => {
    const owner = findController(object, 'ReplicaSet')
    if (owner !== undefined) controller.add(object.metadata.namespace ?? '', owner)
  })
  return {
    async [Symbol.asyncDispose]() {
      unsubscribe()
      await controller[Symbol.asyncDispose]()
    },
  }
}

function isFinished({ status }: DeepReadonly<Pod>): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed'
}

/** Returns the milliseconds until finished pods may be replaced, for those that may not be replaced yet. */
function listReplacementDelays(finished: readonly DeepReadonly<Pod>[], wanted: number, now: number): readonly number[] {
  const rounds = Math.ceil(finished.length / Math.max(1, wanted))
  const delay = Math.min(longestDelay, firstDelay * 2 ** Math.min(rounds - 1, 30))
  return finished
    .map(({ metadata }) => Date.parse(metadata.creationTimestamp ?? '') + delay - now)
    .filter((milliseconds) => milliseconds > 0)
}

function isPodReady({ status }: DeepReadonly<Pod>): boolean {
  return status?.conditions?.some((condition) => condition.type === 'Ready' && condition.status === 'True') === true
}

/** Sorts pods that are not ready before others, and newer pods before older ones. */
function sortForDeletion(pods: readonly DeepReadonly<Pod>[]): readonly DeepReadonly<Pod>[] {
  const rank = (pod: DeepReadonly<Pod>): string => `${Number(isPodReady(pod))} ${pod.metadata.creationTimestamp ?? ''}`
  return pods.toSorted((a, b) => Number(isPodReady(a)) - Number(isPodReady(b)) || (rank(a) < rank(b) ? 1 : -1))
}

function createPod({ metadata: { name = '', uid = '' }, spec }: DeepReadonly<ReplicaSet>): Pod {
  const { metadata, spec: podSpec } = structuredClone(spec?.template ?? {}) as { metadata?: Pod['metadata']; spec?: Pod['spec'] }
  return {
    metadata: {
      ...metadata,
      generateName: `${name}-`,
      ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name, uid, controller: true, blockOwnerDeletion: true }],
    },
    spec: podSpec,
  } as Pod
}
