import type { Quantities } from '@keelson/api'
import type { ResourceQuota } from '@keelson/api/core/v1'
import type { DeepReadonly, KubeObject } from '@keelson/apimachinery'
import type { AdmissionAttributes } from '../admission.ts'
import { forbidden } from '../forbidden.ts'
import { addAmounts, amountsOf, amountsText, increaseOf, onlyOf, withoutZeros } from './amounts.ts'
import type { Evaluator, ScopeSelector } from './evaluator.ts'

export type ReadonlyQuota = DeepReadonly<ResourceQuota>

/**
 * What `used` of the quota would be after the write; undefined when the write does not concern it. Throws Forbidden when it would be too much, or
 * when nobody has counted yet.
 */
export function charge(quota: ReadonlyQuota, evaluator: Evaluator, attributes: AdmissionAttributes): Quantities | undefined {
  const object = attributes.object!
  if (!concerns(quota, evaluator, object)) return undefined
  const { metadata, status = {} } = quota
  const hard = amountsOf(status.hard)
  const used = amountsOf(status.used)
  const limited = [...hard.keys()].filter((name) => evaluator.matching(name)).toSorted()
  const complaint = evaluator.complaint?.(limited, object)
  if (complaint !== undefined) throw forbidden(attributes, `failed quota: ${metadata.name}: ${complaint}`)
  if (!limited.every((name) => used.has(name)))
    throw forbidden(attributes, `status unknown for quota: ${metadata.name}, resources: ${limited.join(',')}`)

  const requested = onlyOf(withoutZeros(newUsage(quota, evaluator, attributes)), hard.keys())
  if (requested.size === 0) return undefined
  const after = addAmounts(used, requested)
  const exceeded = [...requested.keys()].filter((name) => after.get(name)!.compare(hard.get(name)!) > 0)
  // What a status says has happened already.
  if (exceeded.length === 0 || attributes.subresource === 'status') return after
  const [asked, had, most] = [requested, used, hard].map((amounts) => amountsText(onlyOf(amounts, exceeded)))
  throw forbidden(attributes, `exceeded quota: ${metadata.name}, requested: ${asked}, used: ${had}, limited: ${most}`)
}

function newUsage(quota: ReadonlyQuota, evaluator: Evaluator, attributes: AdmissionAttributes): Quantities {
  const { object, oldObject } = attributes
  const usage = evaluator.usage(object!)
  const negative = [...usage].filter(([, amount]) => amount.sign() < 0).map(([name]) => name)
  if (negative.length > 0) throw forbidden(attributes, `quota usage is negative for resource(s): ${negative.toSorted().join(',')}`)
  const wasCharged = oldObject !== undefined && concerns(quota, evaluator, oldObject)
  return wasCharged ? increaseOf(usage, evaluator.usage(oldObject)) : usage
}

/** It limits something that the object uses, and the object is in every scope of it. */
function concerns({ spec, status }: ReadonlyQuota, evaluator: Evaluator, object: DeepReadonly<KubeObject>): boolean {
  if (!Object.keys(status?.hard ?? {}).some((name) => evaluator.matching(name))) return false
  const scopes: readonly ScopeSelector[] = [
    ...(spec?.scopes ?? []).map((scopeName) => ({ scopeName, operator: 'Exists' })),
    ...(spec?.scopeSelector?.matchExpressions ?? []),
  ]
  return scopes.every((selector) => evaluator.inScope?.(selector, object) ?? false)
}
