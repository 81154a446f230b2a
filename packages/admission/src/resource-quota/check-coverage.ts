import { newUnknownError } from '@keelson/apimachinery'
import type { ScopeSelector } from '@keelson/registry'
import type { AdmissionAttributes } from '../admission.ts'
import { newForbiddenWrite } from '../forbidden.ts'
import { appliesTo, increaseFor, listLimitedNames, listScopes, computeUsage } from './charge.ts'
import type { Charging, ReadonlyQuota } from './charge.ts'
import type { LimitedResource } from './limited-resources.ts'

/** Rejects a write that consumes a limited resource without a quota that covers it. A write that consumes nothing more is admitted. */
export function checkCoverage(
  quotas: readonly ReadonlyQuota[],
  attributes: AdmissionAttributes,
  charging: Charging,
  limited: readonly LimitedResource[],
): void {
  const { rules } = charging
  const { resource } = attributes
  const object = attributes.object!
  const applicable = quotas.filter((quota) => appliesTo(quota, rules, object))
  const increases =
    applicable.length > 0
      ? applicable.map((quota) => increaseFor(quota, attributes, charging))
      : [increaseFor(undefined, attributes, charging)]
  if (increases.every((increase) => increase.size === 0)) return

  const contained = limited
    .filter((each) => each.apiGroup === resource.group && each.resource === resource.resource)
    .flatMap(({ matchContains }) => matchContains)
  const covered = new Set(applicable.flatMap((quota) => listLimitedNames(quota, rules)))
  const consumed = [...computeUsage(attributes, charging)].filter(([, amount]) => amount.sign() > 0).map(([name]) => name)
  const uncovered = consumed.filter((name) => contained.some((part) => name.includes(part)) && !covered.has(name))
  if (uncovered.length > 0) throw newForbiddenWrite(attributes, `insufficient quota to consume: ${uncovered.toSorted().join(',')}`)

  const isInScope = (selector: ScopeSelector): boolean => rules.isInScope?.(selector, object) ?? false
  const coveredScopes = new Set(
    quotas
      .flatMap(listScopes)
      .filter(isInScope)
      .map(({ scopeName }) => scopeName),
  )
  const scopes = limited
    .flatMap(({ matchScopes }) => matchScopes)
    .filter((scope) => isInScope(scope) && !coveredScopes.has(scope.scopeName))
  if (scopes.length > 0) throw newUnknownError(`insufficient quota to match these scopes: [${scopes.map(formatScope).join(' ')}]`)
}

/** Formats a scope like Go, as in "{PriorityClass In [high]}". */
function formatScope({ scopeName, operator, values = [] }: ScopeSelector): string {
  return `{${scopeName} ${operator} [${values.join(' ')}]}`
}
