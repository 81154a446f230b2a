import { createHash } from 'node:crypto'
import { equalsSemantically } from '@keelson/apimachinery'
import type { DeepReadonly } from '@keelson/apimachinery'
import { findController, followResource, isControlledBy, startWorkloadController } from './workload-controller.ts'
import type { Deployment, Followed, ReplicaSet, WorkloadContext } from './workload-controller.ts'

const hashLabel = 'pod-template-hash'
const revisionAnnotation = 'deployment.kubernetes.io/revision'

type Conditions = NonNullable<NonNullable<Deployment['status']>['conditions']>

/** Starts the controller that gives each deployment a replica set for its template. Older replica sets shrink when the new one is available. */
export function startDeployments(context: WorkloadContext): AsyncDisposable {
  const deployments = followResource<Deployment>(context, 'apps', 'deployments')
  const sets = followResource<ReplicaSet>(context, 'apps', 'replicasets')
  const controller = startWorkloadController(context, {
    followed: deployments,
    async reconcile(deployment) {
      const { namespace = '', deletionTimestamp } = deployment.metadata
      if (deletionTimestamp != null || deployment.spec?.paused === true) return
      const { items } = await sets.resource.list({ namespace, resourceVersion: '' })
      const owned = items.filter((set) => isControlledBy(set, deployment))
      const hash = hashTemplate(deployment)
      const wanted = deployment.spec?.replicas ?? 1
      const current = owned.find(({ metadata }) => metadata.labels?.[hashLabel] === hash)
      const older = owned.filter((set) => set !== current)
      const recreates = deployment.spec?.strategy?.type === 'Recreate'
      const isOldGone = older.every(({ status }) => (status?.replicas ?? 0) === 0)
      if (current === undefined) {
        const created = createReplicaSet(deployment, hash, wanted, owned.length + 1)
        const orphan = items.find(({ metadata }) => metadata.name === created.metadata.name && !hasController(metadata))
        if (orphan !== undefined) await adopt(sets, orphan, created)
        else if (!recreates || isOldGone) await sets.resource.create(namespace, created)
      } else await scale(sets, current, wanted)
      const isAvailable = current !== undefined && (current.status?.availableReplicas ?? 0) >= wanted
      if (recreates || isAvailable) for (const set of older) await scale(sets, set, 0)
      await reportStatus(context, deployments, { deployment, current, older })
    },
  })
  const unsubscribe = sets.informer.subscribe(({ object }) => {
    const owner = findController(object, 'Deployment')
    if (owner !== undefined) controller.add(object.metadata.namespace ?? '', owner)
  })
  return {
    async [Symbol.asyncDispose]() {
      unsubscribe()
      await controller[Symbol.asyncDispose]()
    },
  }
}

function hashTemplate({ spec }: DeepReadonly<Deployment>): string {
  return createHash('sha256').update(JSON.stringify(spec?.template)).digest('hex').slice(0, 10)
}

async function scale({ resource }: Followed<ReplicaSet>, { metadata, spec }: DeepReadonly<ReplicaSet>, replicas: number): Promise<void> {
  if (spec?.replicas === replicas) return
  await resource.update(metadata.namespace ?? '', metadata.name ?? '', (set) => ({ ...set, spec: { ...set.spec!, replicas } }))
}

function hasController({ ownerReferences }: DeepReadonly<ReplicaSet['metadata']>): boolean {
  return ownerReferences?.some(({ controller }) => controller === true) === true
}

/** Gives a replica set without a controller the owner of the one that would be created. A deployment that was deleted without its replica sets leaves such a set. */
async function adopt({ resource }: Followed<ReplicaSet>, orphan: DeepReadonly<ReplicaSet>, { metadata }: ReplicaSet): Promise<void> {
  if (orphan.metadata.deletionTimestamp != null) return
  await resource.update(orphan.metadata.namespace ?? '', orphan.metadata.name ?? '', (set) =>
    hasController(set.metadata)
      ? set
      : { ...set, metadata: { ...set.metadata, ownerReferences: [...(set.metadata.ownerReferences ?? []), ...metadata.ownerReferences!] } },
  )
}

function createReplicaSet({ metadata, spec }: DeepReadonly<Deployment>, hash: string, replicas: number, revision: number): ReplicaSet {
  const { name = '', uid = '' } = metadata
  const { template, selector } = structuredClone(spec) as NonNullable<Deployment['spec']>
  const labels = { ...template.metadata?.labels, [hashLabel]: hash }
  return {
    metadata: {
      name: `${name}-${hash}`,
      labels,
      annotations: { [revisionAnnotation]: String(revision) },
      ownerReferences: [{ apiVersion: 'apps/v1', kind: 'Deployment', name, uid, controller: true, blockOwnerDeletion: true }],
    },
    spec: {
      replicas,
      selector: { ...selector, matchLabels: { ...selector?.matchLabels, [hashLabel]: hash } },
      template: { ...template, metadata: { ...template.metadata, labels } },
    },
  }
}

interface Progress {
  readonly deployment: DeepReadonly<Deployment>
  readonly current: DeepReadonly<ReplicaSet> | undefined
  readonly older: readonly DeepReadonly<ReplicaSet>[]
}

async function reportStatus({ clock }: WorkloadContext, { resource }: Followed<Deployment>, progress: Progress): Promise<void> {
  const { deployment, current, older } = progress
  const sets = [...(current === undefined ? [] : [current]), ...older]
  const sum = (field: 'availableReplicas' | 'readyReplicas' | 'replicas'): number =>
    sets.reduce((total, set) => total + (set.status?.[field] ?? 0), 0)
  const wanted = deployment.spec?.replicas ?? 1
  const available = sum('availableReplicas')
  const isComplete = (current?.status?.availableReplicas ?? 0) >= wanted && sum('replicas') === (current?.status?.replicas ?? 0)
  const status = {
    observedGeneration: deployment.metadata.generation ?? 0,
    replicas: sum('replicas'),
    updatedReplicas: current?.status?.replicas ?? 0,
    readyReplicas: sum('readyReplicas'),
    availableReplicas: available,
    unavailableReplicas: Math.max(0, wanted - available),
  }
  const now = new Date(clock.now()).toISOString().replace(/\.\d+Z$/, 'Z')
  const conditions: Conditions = [
    createCondition('Available', available >= wanted, available >= wanted ? 'MinimumReplicasAvailable' : 'MinimumReplicasUnavailable', now),
    createCondition('Progressing', true, isComplete ? 'NewReplicaSetAvailable' : 'ReplicaSetUpdated', now),
  ]
  const { namespace = '', name = '' } = deployment.metadata
  const previous = deployment.status
  const isUnchanged =
    previous !== undefined &&
    equalsSemantically({ ...previous, ...status }, previous) &&
    conditions.every(({ type, status: state, reason }) =>
      previous.conditions?.some((condition) => condition.type === type && condition.status === state && condition.reason === reason),
    )
  if (isUnchanged) return
  await resource.update(namespace, name, (object) => ({ ...object, status: { ...object.status, ...status, conditions } }), {
    subresource: 'status',
  })
}

function createCondition(type: string, isTrue: boolean, reason: string, now: string): Conditions[number] {
  return { type, status: isTrue ? 'True' : 'False', reason, message: '', lastTransitionTime: now, lastUpdateTime: now }
}
