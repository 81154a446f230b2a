import type { ResourceQuota } from '@keelson/api/core/v1'
import { addQuantities, parseQuantities, parseQuantity } from '@keelson/apimachinery'
import type { DeepReadonly, KubeObject, Quantities } from '@keelson/apimachinery'
import type { QuotaRules, ScopeSelector } from '@keelson/registry'
import type { AdmissionAttributes } from '../admission.ts'
import { forbidden } from '../forbidden.ts'

export type ReadonlyQuota = DeepReadonly<ResourceQuota>

/** Quota rules of a resource, and the current time in milliseconds since the epoch. */
export interface Charging {
  readonly rules: QuotaRules
  readonly now: number
}

/**
 * Returns the quota's `used` after a write. Returns undefined if the quota does not apply to the object. Throws Forbidden if the write
 * would exceed the quota, or if the usage of the quota is not yet calculated.
 */
export function charge(quota: ReadonlyQuota, attributes: AdmissionAttributes, { rules, now }: Charging): Quantities | undefined {
  const object = attributes.object!
  if (!applies(quota, rules, object)) return undefined
  const { metadata, status = {} } = quota
  const hard = parseQuantities(status.hard)
  const used = parseQuantities(status.used)
  const limited = [...hard.keys()].filter((name) => rules.isLimitedBy(name)).toSorted()
  const complaint = rules.complaint?.(limited, object)
  if (complaint !== undefined) throw forbidden(attributes, `failed quota: ${metadata.name}: ${complaint}`)
  if (!limited.every((name) => used.has(name)))
    throw forbidden(attributes, `status unknown for quota: ${metadata.name}, resources: ${limited.join(',')}`)

  const requested = pickAmounts(withoutZeros(newUsage(quota, attributes, { rules, now })), hard.keys())
  if (requested.size === 0) return undefined
  const newUsed = addQuantities(used, requested)
  const exceeded = [...requested.keys()].filter((name) => newUsed.get(name)!.compare(hard.get(name)!) > 0)
  // Status updates report facts, so they cannot be rejected.
  if (exceeded.length === 0 || attributes.subresource === 'status') return newUsed
  const [requestedText, usedText, limitText] = [requested, used, hard].map((amounts) => amountsText(pickAmounts(amounts, exceeded)))
  throw forbidden(attributes, `exceeded quota: ${metadata.name}, requested: ${requestedText}, used: ${usedText}, limited: ${limitText}`)
}

function newUsage(quota: ReadonlyQuota, attributes: AdmissionAttributes, { rules, now }: Charging): Quantities {
  const { object, oldObject } = attributes
  const usage = rules.usage(object!, now)
  const negative = [...usage].filter(([, amount]) => amount.sign() < 0).map(([name]) => name)
  if (negative.length > 0) throw forbidden(attributes, `quota usage is negative for resource(s): ${negative.toSorted().join(',')}`)
  const wasCharged = oldObject !== undefined && applies(quota, rules, oldObject)
  return wasCharged ? increaseOf(usage, rules.usage(oldObject, now)) : usage
}

/** Returns whether a quota applies to an object: it limits something that the object uses, and all of its scopes match. */
function applies({ spec, status }: ReadonlyQuota, rules: QuotaRules, object: DeepReadonly<KubeObject>): boolean {
  if (!Object.keys(status?.hard ?? {}).some((name) => rules.isLimitedBy(name))) return false
  const scopes: readonly ScopeSelector[] = [
    ...(spec?.scopes ?? []).map((scopeName) => ({ scopeName, operator: 'Exists' })),
    ...(spec?.scopeSelector?.matchExpressions ?? []),
  ]
  return scopes.every((selector) => rules.isInScope?.(selector, object) ?? false)
}

const zero = parseQuantity('0')

/** Returns the increase of usage. A decrease counts as zero: the quota controller subtracts it after the write. */
function increaseOf(now: Quantities, before: Quantities): Quantities {
  const more = [...now].map(([name, amount]) => [name, amount.sub(before.get(name) ?? zero)] as const)
  return new Map(more.filter(([, amount]) => amount.sign() > 0))
}

function pickAmounts(amounts: Quantities, names: Iterable<string>): Quantities {
  const wanted = new Set(names)
  return new Map([...amounts].filter(([name]) => wanted.has(name)))
}

function withoutZeros(amounts: Quantities): Quantities {
  return new Map([...amounts].filter(([, amount]) => !amount.isZero()))
}

/** Formats amounts, as in "limits.cpu=2,pods=1". */
function amountsText(amounts: Quantities): string {
  return [...amounts.keys()]
    .toSorted()
    .map((name) => `${name}=${String(amounts.get(name))}`)
    .join(',')
}
