import type { Namespace, Pod } from '@keelson/api/core/v1'
import { newInvalid, quote, semanticEqual, systemClock } from '@keelson/apimachinery'
import type { AdmissionAttributes } from '../admission.ts'
import type { PluginDependencies } from '../admission-plugins.ts'
import type { PodSecurityConfiguration } from './configuration.ts'
import { warnOfExistingPods } from './existing-pods.ts'
import {
  compareLevels,
  equivalentPolicies,
  isFullyPrivileged,
  labelPrefix,
  levelVersionText,
  policyOf,
  sameLevelVersion,
} from './policy.ts'
import type { LevelVersion, Policy } from './policy.ts'

const pods = { group: '', resource: 'pods' }

/** Validates the labels of a namespace. Stricter labels are also evaluated on existing pods, with warnings. */
export function checkNamespace(
  { client, clock = systemClock }: PluginDependencies,
  { defaults, exemptions }: PodSecurityConfiguration,
  attributes: AdmissionAttributes,
): Promise<void> | void {
  const { context, kind, operation } = attributes
  const namespace = attributes.object as Namespace
  const name = namespace.metadata.name ?? ''
  const { policy, errors } = policyOf(namespace.metadata.labels, defaults)
  const before = operation === 'UPDATE' ? policyOf(attributes.oldObject?.metadata.labels, defaults) : undefined
  if (errors.length > 0 && (before === undefined || !semanticEqual(errors, before.errors))) throw newInvalid(kind, attributes.name, errors)
  if (before !== undefined && isNoStricter(policy.enforce, before.policy.enforce)) return
  if (exemptions.namespaces.has(name)) {
    const warning = exemptWarning(namespace, policy, defaults)
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
  if (now.level === 'privileged' || sameLevelVersion(now, before)) return true
  return now.version === before.version && compareLevels(now.level, before.level) <= 0
}

/** Warns about policy labels on an exempt namespace, where they have no effect. */
function exemptWarning({ metadata }: Namespace, policy: Policy, defaults: Policy): string | undefined {
  if (isFullyPrivileged(policy) || equivalentPolicies(policy, defaults)) return undefined
  const labels = metadata.labels ?? {}
  const labeledModes = (['enforce', 'audit', 'warn'] as const).filter((mode) => {
    const isSet = labels[`${labelPrefix}${mode}`] !== undefined || labels[`${labelPrefix}${mode}-version`] !== undefined
    return isSet && policy[mode].level !== 'privileged'
  })
  const text = labeledModes.map((mode) => `${mode}=${levelVersionText(policy[mode])}`).join(', ')
  return `namespace ${quote(metadata.name ?? '')} is exempt from Pod Security, and the policy (${text}) will be ignored`
}
