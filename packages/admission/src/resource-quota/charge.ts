import type { Quantities } from '@keelson/api'
import type { ResourceQuota } from '@keelson/api/core/v1'
import type { DeepReadonly, KubeObject } from '@keelson/apimachinery'
import type { AdmissionAttributes } from '../admission.ts'
import { forbidden } from '../forbidden.ts'
import { addAmounts, amountsOf, amountsText, increaseOf, pickAmounts, withoutZeros } from './amounts.ts'
import type { Evaluator, ScopeSelector } from './evaluator.ts'

export type ReadonlyQuota = DeepReadonly<ResourceQuota>

/**
 * Returns the quota's `used` after the write; undefined if the quota does not apply. Throws Forbidden if the quota would be exceeded, or if
 * its usage is not yet calculated.
 */
export function charge(quota: ReadonlyQuota, evaluator: Evaluator, attributes: AdmissionAttributes): Quantities | undefined {
  const object = attributes.object!
  if (!applies(quota, evaluator, object)) return undefined
  const { metadata, status = {} } = quota
  const hard = amountsOf(status.hard)
  const used = amountsOf(status.used)
  const limited = [...hard.keys()].filter((name) => evaluator.matching(name)).toSorted()
  const complaint = evaluator.complaint?.(limited, object)
  if (complaint !== undefined) throw forbidden(attributes, `failed quota: ${metadata.name}: ${complaint}`)
  if (!limited.every((name) => used.has(name)))
    throw forbidden(attributes, `status unknown for quota: ${metadata.name}, resources: ${limited.join(',')}`)

  const requested = pickAmounts(withoutZeros(newUsage(quota, evaluator, attributes)), hard.keys())
  if (requested.size === 0) return undefined
  const newUsed = addAmounts(used, requested)
  const exceeded = [...requested.keys()].filter((name) => newUsed.get(name)!.compare(hard.get(name)!) > 0)
  // Status updates report facts and cannot be refused.
  if (exceeded.length === 0 || attributes.subresource === 'status') return newUsed
  const [requestedText, usedText, limitText] = [requested, used, hard].map((amounts) => amountsText(pickAmounts(amounts, exceeded)))
  throw forbidden(attributes, `exceeded quota: ${metadata.name}, requested: ${requestedText}, used: ${usedText}, limited: ${limitText}`)
}

function newUsage(quota: ReadonlyQuota, evaluator: Evaluator, attributes: AdmissionAttributes): Quantities {
  const { object, oldObject } = attributes
  const usage = evaluator.usage(object!)
  const negative = [...usage].filter(([, amount]) => amount.sign() < 0).map(([name]) => name)
  if (negative.length > 0) throw forbidden(attributes, `quota usage is negative for resource(s): ${negative.toSorted().join(',')}`)
  const wasCharged = oldObject !== undefined && applies(quota, evaluator, oldObject)
  return wasCharged ? increaseOf(usage, evaluator.usage(oldObject)) : usage
}

/** Returns whether the quota limits something that the object uses, and all of its scopes match. */
function applies({ spec, status }: ReadonlyQuota, evaluator: Evaluator, object: DeepReadonly<KubeObject>): boolean {
  if (!Object.keys(status?.hard ?? {}).some((name) => evaluator.matching(name))) return false
  const scopes: readonly ScopeSelector[] = [
    ...(spec?.scopes ?? []).map((scopeName) => ({ scopeName, operator: 'Exists' })),
    ...(spec?.scopeSelector?.matchExpressions ?? []),
  ]
  return scopes.every((selector) => evaluator.inScope?.(selector, object) ?? false)
}
