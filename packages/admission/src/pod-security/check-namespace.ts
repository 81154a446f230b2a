import { quote, TimeSlice, newInvalid, equalsSemantically, systemClock } from '@keelson/apimachinery'
import type { Pod, Namespace } from '@keelson/api/core/v1'
import type { Clock, DeepReadonly } from '@keelson/apimachinery'
import { evaluatePod, formatViolationReasons } from './evaluate-pod.ts'
import { extractPod } from './check.ts'
import {
  formatLevelVersion,
  compareLevels,
  areEquivalentPolicies,
  isFullyPrivileged,
  labelPrefix,
  parsePolicy,
  isSameLevelVersion,
} from './policy.ts'
import type { LevelVersion, Policy } from './policy.ts'
import type { AdmissionAttributes } from '../admission.ts'
import type { PluginDependencies } from '../admission-plugins.ts'
import type { PodSecurityConfiguration } from './configuration.ts'

const maxPods = 3000
const maxDuration = 1000
/** Number of pods that are evaluated between two readings of the clock. */
const podsPerClockCheck = 20

interface ExistingPodsOptions {
  readonly namespace: string
  readonly enforce: LevelVersion
  readonly exemptRuntimeClasses: ReadonlySet<string>
  readonly clock: Clock
}

/** Returns warnings about existing pods that violate a new label. The pods are not changed. */
async function warnOfExistingPods(pods: readonly DeepReadonly<Pod>[], options: ExistingPodsOptions): Promise<string[]> {
  const { namespace, enforce, exemptRuntimeClasses, clock } = options
  const checkedPods = selectOnePerController(pods.filter(({ spec }) => !exemptRuntimeClasses.has(spec?.runtimeClassName ?? '')))
  const until = clock.now() + maxDuration
  const names = new Map<string, string[]>()
  const slice = new TimeSlice(podsPerClockCheck)
  let checked = 0
  for (const pod of checkedPods.slice(0, maxPods)) {
    const violations = evaluatePod(enforce, extractPod(pod))
    if (violations.length > 0) {
      const reasons = formatViolationReasons(violations)
      const podNames = names.get(reasons)
      if (podNames === undefined) names.set(reasons, [pod.metadata.name ?? ''])
      else podNames.push(pod.metadata.name ?? '')
    }
    checked += 1
    if (clock.now() >= until) break
    const pause = slice.pauseIfOver()
    if (pause) await pause
  }
  const level = formatLevelVersion(enforce)
  return [
    ...(checked < checkedPods.length
      ? [`new PodSecurity enforce level only checked against the first ${checked} of ${checkedPods.length} existing pods`]
      : []),
    ...(names.size > 0 ? [`existing pods in namespace ${quote(namespace)} violate the new PodSecurity enforce level ${quote(level)}`] : []),
    ...Array.from(names, ([reasons, of]) => `${formatNames(of)}: ${reasons}`).toSorted(),
  ]
}

/** Sorts pods so that the first pod of each controller comes first, because its other pods are probably the same. */
function selectOnePerController(pods: readonly DeepReadonly<Pod>[]): readonly DeepReadonly<Pod>[] {
  const controllers = new Set<string>()
  const sameController: DeepReadonly<Pod>[] = []
  const first = pods.filter((pod) => {
    const controller = pod.metadata.ownerReferences?.find((reference) => reference.controller === true)?.uid
    if (controller === undefined) return true
    if (controllers.has(controller)) return void sameController.push(pod)
    controllers.add(controller)
    return true
  })
  return [...first, ...sameController]
}

function formatNames(names: readonly string[]): string {
  const first = names.toSorted()[0]!
  const otherCount = names.length - 1
  return otherCount === 0 ? first : `${first} (and ${otherCount} other ${otherCount === 1 ? 'pod' : 'pods'})`
}

const pods = { group: '', resource: 'pods' }

/**
 * Validates the policy labels of a namespace. If the labels become stricter, also evaluates existing pods. Their violations cause only
 * warnings.
 */
export function checkNamespace(
  { client, clock = systemClock }: PluginDependencies,
  { defaults, exemptions }: PodSecurityConfiguration,
  attributes: AdmissionAttributes,
): Promise<void> | void {
  const { context, kind, operation } = attributes
  const namespace = attributes.object as Namespace
  const name = namespace.metadata.name ?? ''
  const { policy, errors } = parsePolicy(namespace.metadata.labels, defaults)
  const before = operation === 'UPDATE' ? parsePolicy(attributes.oldObject?.metadata.labels, defaults) : undefined
  if (errors.length > 0 && (before === undefined || !equalsSemantically(errors, before.errors)))
    throw newInvalid(kind, attributes.name, errors)
  if (before !== undefined && isNoStricter(policy.enforce, before.policy.enforce)) return
  if (exemptions.namespaces.has(name)) {
    const warning = findExemptWarning(namespace, policy, defaults)
    if (warning !== undefined) context.warn(warning)
    return
  }
  const served = before === undefined ? undefined : client.resource<Pod>(pods)
  if (served === undefined) return
  const options = {
    namespace: namespace.metadata.name ?? '',
    enforce: policy.enforce,
    exemptRuntimeClasses: exemptions.runtimeClasses,
    clock,
  }
  return served.list({ namespace: name }).then(
    async ({ items }) => {
      for (const warning of await warnOfExistingPods(items, options)) context.warn(warning)
    },
    () => context.warn('failed to list pods while checking new PodSecurity enforce level'),
  )
}

function isNoStricter(now: LevelVersion, before: LevelVersion): boolean {
  if (now.level === 'privileged' || isSameLevelVersion(now, before)) return true
  return now.version === before.version && compareLevels(now.level, before.level) <= 0
}

/** Returns a warning if an exempt namespace has policy labels, because they have no effect there. */
function findExemptWarning({ metadata }: Namespace, policy: Policy, defaults: Policy): string | undefined {
  if (isFullyPrivileged(policy) || areEquivalentPolicies(policy, defaults)) return undefined
  const labels = metadata.labels ?? {}
  const labeledModes = (['enforce', 'audit', 'warn'] as const).filter((mode) => {
    const isSet = labels[`${labelPrefix}${mode}`] !== undefined || labels[`${labelPrefix}${mode}-version`] !== undefined
    return isSet && policy[mode].level !== 'privileged'
  })
  const text = labeledModes.map((mode) => `${mode}=${formatLevelVersion(policy[mode])}`).join(', ')
  return `namespace ${quote(metadata.name ?? '')} is exempt from Pod Security, and the policy (${text}) will be ignored`
}
