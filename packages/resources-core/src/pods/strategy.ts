import type { Pod } from '@keelson/api/core/v1'
import { isDNS1123Label, semanticEqual } from '@keelson/apimachinery'
import type { DeepReadonly, DeleteOptions } from '@keelson/apimachinery'
import { withoutFields } from '@keelson/apimachinery/managed-fields'
import type { Strategy } from '@keelson/registry'
import { keepMember } from '../keep-member.ts'
import { dropDisabledPodFields } from '../pod-spec/drop-disabled-fields.ts'
import { normalizePodSpec } from '../pod-spec/normalize.ts'
import { createPodRules } from '../pod-spec/pod-rules.ts'
import { findPodWarnings } from '../pod-spec/pod-warnings.ts'
import { applyAppArmorAnnotations } from './apply-app-armor.ts'
import { mergeLabelKeys } from './merge-label-keys.ts'
import { computeQosClass } from './qos.ts'
import { setPodCondition } from './subresources/pod-condition.ts'
import { validatePodUpdate } from './validate-update.ts'
import { validatePodCreate } from './validate.ts'

const gatedCondition = {
  type: 'PodScheduled',
  status: 'False',
  reason: 'SchedulingGated',
  message: 'Scheduling is blocked due to non-empty scheduling gates',
}

export const podStrategy: Strategy<Pod> = {
  resetFields: withoutFields('status'),
  prepareForCreate(context, pod) {
    const spec = (pod.spec ??= { containers: null })
    pod.metadata.generation = 1
    pod.status = { phase: 'Pending', qosClass: pod.status?.qosClass || computeQosClass(pod) }
    // Admission may have set only one of the two service account fields.
    normalizePodSpec(spec)
    dropDisabledPodFields(spec)
    if ((spec.schedulingGates ?? []).length > 0) setPodCondition(context, pod, gatedCondition)
    mergeLabelKeys(pod)
    applyAppArmorAnnotations(pod, (text) => context.warn(text))
  },
  validateCreate: (_context, pod) => validatePodCreate(pod, createPodRules('pod')),
  warningsOnCreate: (_context, pod) => [...findNameWarnings(pod.metadata.name ?? ''), ...findPodWarnings(pod)],
  prepareForUpdate(_context, pod, old) {
    keepMember(pod, old, 'status')
    if (pod.spec !== undefined) {
      normalizePodSpec(pod.spec)
      dropDisabledPodFields(pod.spec, old.spec)
    }
    countGeneration(pod, old)
  },
  validateUpdate: (_context, pod, old) => validatePodUpdate(pod, old, createPodRules('pod', old)),
  checkGracefulDelete: (_context, pod, options) => {
    options.gracePeriodSeconds = chooseGracePeriod(pod, options)
    return true
  },
}

/** Warns about names that are not DNS labels, because the name is the hostname of the pod. */
function findNameWarnings(name: string): string[] {
  const messages = isDNS1123Label(name)
  if (messages.length === 0) return []
  const advice = "this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is recommended"
  return [`metadata.name: ${advice}: [${messages.join(' ')}]`]
}

/** Increments the generation if the spec changed. Mutates the pod. */
export function countGeneration(pod: Pod, old: DeepReadonly<Pod>): void {
  const generation = pod.metadata.generation ?? 0
  if (!semanticEqual(pod.spec, old.spec)) pod.metadata.generation = generation + 1
}

/** Pods without a node and terminated pods are deleted immediately. A negative period means one second. */
function chooseGracePeriod(pod: DeepReadonly<Pod>, options: DeleteOptions): number {
  const requested = options.gracePeriodSeconds ?? pod.spec?.terminationGracePeriodSeconds ?? 0
  const isUnscheduled = (pod.spec?.nodeName ?? '') === ''
  const isTerminated = pod.status?.phase === 'Failed' || pod.status?.phase === 'Succeeded'
  if (isUnscheduled || isTerminated) return 0
  return requested < 0 ? 1 : requested
}
