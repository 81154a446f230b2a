import type { Pod } from '@keelson/api/core/v1'
import { newFieldPath, isDNS1123Label, equalsSemantically } from '@keelson/apimachinery'
import type { DeepReadonly, DeleteOptions, LabelSelector } from '@keelson/apimachinery'
import { withoutFields } from '@keelson/apimachinery/managed-fields'
import type { Strategy } from '@keelson/registry'
import { keepMember } from '../keep-member.ts'
import { appArmorContainerPrefix } from '../pod-spec/annotation-keys.ts'
import { parseAppArmorAnnotation } from '../pod-spec/app-armor-annotation.ts'
import { dropDisabledPodFields } from '../pod-spec/drop-disabled-fields.ts'
import { normalizePodSpec } from '../pod-spec/normalize.ts'
import { collectPodAffinityTerms } from '../pod-spec/pod-affinity-terms.ts'
import { createPodRules } from '../pod-spec/pod-rules.ts'
import { findPodWarnings } from '../pod-spec/pod-warnings.ts'
import { validateAppArmorProfile } from '../pod-spec/validate-profiles.ts'
import { listMutableContainers } from '../pod-spec/visit-containers.ts'
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
    // An admission plugin may have set only one of the two service account fields.
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

/** Returns warnings about a pod name that is not a DNS label. The name is also the hostname of the pod. */
function findNameWarnings(name: string): string[] {
  const messages = isDNS1123Label(name)
  if (messages.length === 0) return []
  const advice = "this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is recommended"
  return [`metadata.name: ${advice}: [${messages.join(' ')}]`]
}

/** Increments `metadata.generation` if the spec changed. Mutates the pod. */
export function countGeneration(pod: Pod, old: DeepReadonly<Pod>): void {
  const generation = pod.metadata.generation ?? 0
  if (!equalsSemantically(pod.spec, old.spec)) pod.metadata.generation = generation + 1
}

/**
 * Returns the grace period in seconds for deleting a pod. It is 0 for pods without a node and for terminated pods. A negative period is
 * changed to 1.
 */
function chooseGracePeriod(pod: DeepReadonly<Pod>, options: DeleteOptions): number {
  const requested = options.gracePeriodSeconds ?? pod.spec?.terminationGracePeriodSeconds ?? 0
  const isUnscheduled = (pod.spec?.nodeName ?? '') === ''
  const isTerminated = pod.status?.phase === 'Failed' || pod.status?.phase === 'Succeeded'
  if (isUnscheduled || isTerminated) return 0
  return requested < 0 ? 1 : requested
}

interface LabelKeyed {
  readonly labelSelector?: LabelSelector
  readonly matchLabelKeys?: string[]
  readonly mismatchLabelKeys?: string[]
}

/**
 * Adds a requirement for each label in `matchLabelKeys` to the selectors of a pod. Mutates the pod. A second call would add the
 * requirements twice.
 */
function mergeLabelKeys(pod: Pod): void {
  const { affinity, topologySpreadConstraints } = pod.spec ?? {}
  const keyed: readonly LabelKeyed[] = [...collectPodAffinityTerms(affinity), ...(topologySpreadConstraints ?? [])]
  for (const { labelSelector, matchLabelKeys, mismatchLabelKeys } of keyed) {
    if (labelSelector === undefined) continue
    addRequirements(labelSelector, 'In', { keys: matchLabelKeys, labels: pod.metadata.labels })
    addRequirements(labelSelector, 'NotIn', { keys: mismatchLabelKeys, labels: pod.metadata.labels })
  }
}

function addRequirements(
  selector: LabelSelector,
  operator: 'In' | 'NotIn',
  { keys = [], labels = {} }: { readonly keys: string[] | undefined; readonly labels: Readonly<Record<string, string>> | undefined },
): void {
  for (const key of keys) {
    if (Object.hasOwn(labels, key)) (selector.matchExpressions ??= []).push({ key, operator, values: [labels[key]!] })
  }
}

/** Copies deprecated AppArmor annotations to the profile fields of the containers. Mutates the pod. */
function applyAppArmorAnnotations(pod: Pod, warn: (text: string) => void): void {
  const { spec } = pod
  const { annotations = {} } = pod.metadata
  if (spec === undefined || spec.os?.name === 'windows') return
  for (const container of listMutableContainers(spec)) {
    const key = appArmorContainerPrefix + container.name
    const annotation = annotations[key]
    if (annotation === undefined || container.securityContext?.appArmorProfile !== undefined) continue
    const profile = parseAppArmorAnnotation(annotation)
    const isUsable = profile !== undefined && validateAppArmorProfile({ appArmorProfile: profile }, newFieldPath()).length === 0
    if (isUsable) {
      if (equalsSemantically(profile, spec.securityContext?.appArmorProfile)) continue
      container.securityContext = { ...container.securityContext, appArmorProfile: profile }
    }
    warn(`${newFieldPath('metadata', 'annotations').key(key)}: deprecated since v1.30; use the "appArmorProfile" field instead`)
  }
}
