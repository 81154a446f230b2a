import type { ResourceQuota } from '@keelson/api/core/v1'
import { addQuantities, parseQuantities, parseQuantity } from '@keelson/apimachinery'
import type { DeepReadonly, KubeObject, Quantities } from '@keelson/apimachinery'
import type { QuotaRules, ScopeSelector } from '@keelson/registry'
import type { AdmissionAttributes } from '../admission.ts'
import { newForbiddenWrite } from '../forbidden.ts'

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
export function charge(quota: ReadonlyQuota, attributes: AdmissionAttributes, charging: Charging): Quantities | undefined {
  if (!appliesTo(quota, charging.rules, attributes.object!)) return undefined
  checkConstraints(quota, attributes, charging)
  const { metadata, status = {} } = quota
  const hard = parseQuantities(status.hard)
  const used = parseQuantities(status.used)
  const requested = pickAmounts(increaseFor(quota, attributes, charging), hard.keys())
  if (requested.size === 0) return undefined
  const newUsed = addQuantities(used, requested)
  const exceeded = [...requested.keys()].filter((name) => newUsed.get(name)!.compare(hard.get(name)!) > 0)
  // Status updates report facts, so they cannot be rejected.
  if (exceeded.length === 0 || attributes.subresource === 'status') return newUsed
  const [requestedText, usedText, limitText] = [requested, used, hard].map((amounts) => formatAmounts(pickAmounts(amounts, exceeded)))
  throw newForbiddenWrite(
    attributes,
    `exceeded quota: ${metadata.name}, requested: ${requestedText}, used: ${usedText}, limited: ${limitText}`,
  )
}

/** Throws Forbidden if the object lacks a field that an applicable quota requires, or if the usage of the quota is not yet calculated. */
export function checkConstraints(quota: ReadonlyQuota, attributes: AdmissionAttributes, { rules }: Charging): void {
  const { metadata, status } = quota
  const limited = listLimitedNames(quota, rules).toSorted()
  const complaint = rules.describeMissingLimit?.(limited, attributes.object!)
  if (complaint !== undefined) throw newForbiddenWrite(attributes, `failed quota: ${metadata.name}: ${complaint}`)
  if (!limited.every((name) => status?.used?.[name] !== undefined))
    throw newForbiddenWrite(attributes, `status unknown for quota: ${metadata.name}, resources: ${limited.join(',')}`)
}

/** Returns the names of the quota's limits that apply to the resource. */
export function listLimitedNames({ status }: ReadonlyQuota, rules: QuotaRules): readonly string[] {
  return Object.keys(status?.hard ?? {}).filter((name) => rules.isLimitedBy(name))
}

/** Returns by how much a write increases usage. `quota` is the quota to charge, or undefined if no quota applies to the object. */
export function increaseFor(quota: ReadonlyQuota | undefined, attributes: AdmissionAttributes, charging: Charging): Quantities {
  const { oldObject } = attributes
  const usage = computeUsage(attributes, charging)
  const wasCharged = oldObject !== undefined && (quota === undefined || appliesTo(quota, charging.rules, oldObject))
  return withoutZeros(wasCharged ? computeIncrease(usage, charging.rules.computeUsage(oldObject, charging.now)) : usage)
}

/** Returns the usage of the new object. Throws Forbidden if an amount is negative. */
export function computeUsage(attributes: AdmissionAttributes, { rules, now }: Charging): Quantities {
  const usage = rules.computeUsage(attributes.object!, now)
  const negative = [...usage].filter(([, amount]) => amount.sign() < 0).map(([name]) => name)
  if (negative.length > 0) throw newForbiddenWrite(attributes, `quota usage is negative for resource(s): ${negative.toSorted().join(',')}`)
  return usage
}

/** Returns whether a quota applies to an object: it limits something that the object uses, and all of its scopes match. */
export function appliesTo(quota: ReadonlyQuota, rules: QuotaRules, object: DeepReadonly<KubeObject>): boolean {
  if (listLimitedNames(quota, rules).length === 0) return false
  return listScopes(quota).every((selector) => rules.isInScope?.(selector, object) ?? false)
}

export function listScopes({ spec }: ReadonlyQuota): readonly ScopeSelector[] {
  return [...(spec?.scopes ?? []).map((scopeName) => ({ scopeName, operator: 'Exists' })), ...(spec?.scopeSelector?.matchExpressions ?? [])]
}

const zero = parseQuantity('0')

/** Returns the increase of usage. A decrease counts as zero: the quota controller subtracts it after the write. */
function computeIncrease(now: Quantities, before: Quantities): Quantities {
  const more = [...now].map(([name, amount]) => [name, amount.sub(before.get(name) ?? zero)] as const)
  return new Map(more.filter(([, amount]) => amount.sign() > 0))
}

function pickAmounts(amounts: Quantities, names: Iterable<string>): Quantities {
  const selectedNames = new Set(names)
  return new Map([...amounts].filter(([name]) => selectedNames.has(name)))
}

function withoutZeros(amounts: Quantities): Quantities {
  return new Map([...amounts].filter(([, amount]) => !amount.isZero()))
}

/** Formats amounts, as in "limits.cpu=2,pods=1". */
function formatAmounts(amounts: Quantities): string {
  return [...amounts.keys()]
    .toSorted()
    .map((name) => `${name}=${String(amounts.get(name))}`)
    .join(',')
}
