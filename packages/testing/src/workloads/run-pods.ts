import type { DeepReadonly } from '@keelson/apimachinery'
import { followResource, startWorkloadController } from './workload-controller.ts'
import type { Pod, WorkloadContext } from './workload-controller.ts'

/** State of a pod that seems to run. */
export interface PodOutcome {
  readonly phase: 'Failed' | 'Pending' | 'Running' | 'Succeeded'
  /** Whether the containers of a running pod are ready. Default: true. */
  readonly ready?: boolean
  /** Exit code of the containers of a finished pod. Default: 0 for Succeeded, 1 for Failed. */
  readonly exitCode?: number
  readonly reason?: string
  readonly message?: string
}

/** Decides the state of a pod. It is called for each change of the pod. */
export type PodRule = (pod: DeepReadonly<Pod>) => PodOutcome

/** Pods that a job owns succeed, and all others run. */
const decideByOwner: PodRule = ({ metadata }) =>
  metadata.ownerReferences?.some(({ kind }) => kind === 'Job') === true ? { phase: 'Succeeded' } : { phase: 'Running' }

/** Starts the stand-in for scheduler and kubelets: pods are bound to nodes in turn, get the state of the rule, and end when they are deleted. */
export function startPodRunner(context: WorkloadContext, nodes: readonly string[], rule: PodRule = decideByOwner): AsyncDisposable {
  const pods = followResource<Pod>(context, '', 'pods')
  let nextNode = 0
  return startWorkloadController(context, {
    followed: pods,
    async reconcile(pod) {
      const { namespace = '', name = '', uid, deletionTimestamp } = pod.metadata
      const { nodeName } = pod.spec ?? {}
      if (nodeName === undefined || nodeName === '') {
        if (deletionTimestamp == null) await context.bind(namespace, name, nodes[nextNode++ % nodes.length]!)
        return
      }
      if (!nodes.includes(nodeName)) return
      if (deletionTimestamp != null) {
        await pods.resource.delete(namespace, name, { gracePeriodSeconds: 0, ...(uid !== undefined && { preconditions: { uid } }) })
        return
      }
      const outcome = rule(pod)
      if (hasOutcome(pod, outcome)) return
      const now = new Date(context.clock.now()).toISOString().replace(/\.\d+Z$/, 'Z')
      await pods.resource.update(namespace, name, (current) => ({ ...current, status: formatStatus(current, outcome, now) }), {
        subresource: 'status',
      })
    },
  })
}

function isReady({ phase, ready = true }: PodOutcome): boolean {
  return phase === 'Running' && ready
}

function hasOutcome({ status }: DeepReadonly<Pod>, outcome: PodOutcome): boolean {
  const readiness = status?.conditions?.find(({ type }) => type === 'Ready')?.status
  return (
    status?.phase === outcome.phase &&
    readiness === (isReady(outcome) ? 'True' : 'False') &&
    (status.reason ?? '') === (outcome.reason ?? '') &&
    (status.message ?? '') === (outcome.message ?? '')
  )
}

function formatStatus({ spec, status }: Pod, outcome: PodOutcome, now: string): NonNullable<Pod['status']> {
  const { phase, reason, message } = outcome
  const ready = isReady(outcome)
  const exitCode = outcome.exitCode ?? (phase === 'Failed' ? 1 : 0)
  const { reason: _oldReason, message: _oldMessage, ...keptStatus } = status ?? {}
  const startTime = status?.startTime ?? now
  const state =
    phase === 'Running'
      ? { running: { startedAt: startTime } }
      : phase === 'Pending'
        ? { waiting: { reason: reason ?? 'ContainerCreating' } }
        : { terminated: { exitCode, reason: exitCode === 0 ? 'Completed' : 'Error', startedAt: startTime, finishedAt: now } }
  const createCondition = (type: string, isTrue: boolean): NonNullable<NonNullable<Pod['status']>['conditions']>[number] => ({
    type,
    status: isTrue ? 'True' : 'False',
    lastTransitionTime: now,
    ...(!isTrue && phase === 'Succeeded' && { reason: 'PodCompleted' }),
  })
  return {
    ...keptStatus,
    phase,
    startTime,
    ...(reason !== undefined && { reason }),
    ...(message !== undefined && { message }),
    conditions: [
      createCondition('Initialized', true),
      createCondition('Ready', ready),
      createCondition('ContainersReady', ready),
      createCondition('PodScheduled', true),
    ],
    containerStatuses: (spec?.containers ?? []).map(({ name, image = '' }) => ({
      name,
      image,
      imageID: image,
      ready,
      started: phase === 'Running',
      restartCount: 0,
      state,
    })),
  }
}
