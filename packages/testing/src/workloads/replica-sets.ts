import { equalsSemantically } from '@keelson/apimachinery'
import type { DeepReadonly } from '@keelson/apimachinery'
import { findController, followResource, isControlledBy, startWorkloadController } from './workload-controller.ts'
import type { Pod, ReplicaSet, WorkloadContext } from './workload-controller.ts'

/** Starts the controller that keeps the number of pods of each replica set. */
export function startReplicaSets(context: WorkloadContext): AsyncDisposable {
  const sets = followResource<ReplicaSet>(context, 'apps', 'replicasets')
  const pods = followResource<Pod>(context, '', 'pods')
  const controller = startWorkloadController(context, {
    followed: sets,
    async reconcile(set) {
      const { namespace = '', name = '', deletionTimestamp } = set.metadata
      const { items } = await pods.resource.list({ namespace, resourceVersion: '' })
      const active = items.filter((pod) => isControlledBy(pod, set) && isActive(pod))
      const wanted = set.spec?.replicas ?? 1
      if (deletionTimestamp == null) {
        for (let count = active.length; count < wanted; count++) await pods.resource.create(namespace, createPod(set))
        for (const pod of sortForDeletion(active).slice(0, Math.max(0, active.length - wanted)))
          await pods.resource.delete(namespace, pod.metadata.name ?? '')
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

function isActive({ metadata, status }: DeepReadonly<Pod>): boolean {
  return metadata.deletionTimestamp == null && status?.phase !== 'Succeeded' && status?.phase !== 'Failed'
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
