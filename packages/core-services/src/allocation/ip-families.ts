import type { Service, ServiceSpec } from '@keelson/api/core/v1'
import { fieldError, newFieldPath } from '@keelson/apimachinery'
import type { FieldErrorList } from '@keelson/apimachinery'
import { getFamily, noClusterIP, hasEqualItems, getSpec, validateClusterIPs } from '@keelson/resources-core'
import type { ReadonlyService, ReadonlySpec } from '@keelson/resources-core'
import { createInvalidServiceError } from './allocation.ts'
import type { Family } from './ip-range.ts'

const policyPath = newFieldPath('spec', 'ipFamilyPolicy')
const familiesPath = newFieldPath('spec', 'ipFamilies')
const ipsPath = newFieldPath('spec', 'clusterIPs')

/**
 * Sets IP families and family policy from the request, the previous state and the families of the cluster. Throws Invalid for combinations
 * that cannot be allocated. Mutates `service`.
 */
export function initIPFamilies(service: Service, old: ReadonlyService | undefined, configured: readonly Family[]): void {
  const spec = service.spec!
  const oldSpec = old && getSpec(old)
  if (spec.type === 'ExternalName' || keepsPreference(spec, oldSpec)) return
  const isUnmanaged = spec.clusterIP === noClusterIP && Object.keys(spec.selector ?? {}).length === 0
  spec.ipFamilyPolicy ??= oldSpec?.ipFamilyPolicy ?? (isUnmanaged ? 'RequireDualStack' : 'SingleStack')
  const throwIfAny = (errors: FieldErrorList): void => {
    if (errors.length > 0) throw createInvalidServiceError(service, ...errors)
  }
  throwIfAny(validateClusterIPs(spec, oldSpec))
  throwIfAny([...matchPolicy(spec, oldSpec), ...inferFamilies(spec, configured)])
  if (!isUnmanaged) {
    throwIfAny([...checkConfigured(spec, configured)])
  }
  const families = (spec.ipFamilies ??= [])
  if (families.length === 0) families.push(configured[0]!)
  const wantsTwo = spec.ipFamilyPolicy !== 'SingleStack' && families.length === 1
  // A service without a selector and an address has externally managed endpoints, which may use both families.
  if (wantsTwo && (isUnmanaged || configured.length === 2)) families.push(families[0] === 'IPv4' ? 'IPv6' : 'IPv4')
}

/** Returns whether an update keeps the families of a service that prefers dual-stack, even if the families of the cluster have changed. */
export function keepsPreference(spec: ReadonlySpec, old: ReadonlySpec | undefined): boolean {
  if (old === undefined || spec.ipFamilyPolicy !== 'PreferDualStack' || old.type !== spec.type) return false
  if (!['ClusterIP', 'NodePort', 'LoadBalancer'].includes(spec.type ?? '')) return false
  if (old.ipFamilyPolicy !== undefined && old.ipFamilyPolicy !== 'PreferDualStack') return false
  return hasEqualItems(old.clusterIPs, spec.clusterIPs) && hasEqualItems(old.ipFamilies, spec.ipFamilies)
}

/** Drops unchanged secondary values of a service that becomes single-stack. Rejects other removals of secondary values. */
function matchPolicy(spec: ServiceSpec, old: ReadonlySpec | undefined): FieldErrorList {
  const policy = spec.ipFamilyPolicy!
  const errors: FieldErrorList = []
  const addError = (detail: string): number => errors.push(fieldError.invalid(policyPath, policy, detail))
  const isSingleStack = policy === 'SingleStack'
  if (old !== undefined && isSingleStack) {
    if (hasEqualItems(old.clusterIPs, spec.clusterIPs)) spec.clusterIPs?.splice(1)
    if (hasEqualItems(old.ipFamilies, spec.ipFamilies)) spec.ipFamilies?.splice(1)
  } else if (old !== undefined) {
    if (isReduced(spec.clusterIPs, old.clusterIPs)) addError("must be 'SingleStack' to release the secondary cluster IP")
    if (isReduced(spec.ipFamilies, old.ipFamilies)) addError("must be 'SingleStack' to release the secondary IP family")
  }
  const allowTwo = "must be 'RequireDualStack' or 'PreferDualStack' when multiple"
  if (isSingleStack && spec.clusterIPs?.length === 2) addError(`${allowTwo} cluster IPs are specified`)
  if (isSingleStack && spec.ipFamilies?.length === 2) addError(`${allowTwo} IP families are specified`)
  return errors
}

function isReduced(after: readonly string[] = [], before: readonly string[] = []): boolean {
  return after.length > 0 && after.length < before.length
}

/** Derives missing IP families from the requested addresses. */
function inferFamilies(spec: ServiceSpec, configured: readonly Family[]): FieldErrorList {
  const errors: FieldErrorList = []
  for (const [i, ip] of (spec.clusterIPs ?? []).entries()) {
    if (ip === noClusterIP) break
    if (i < (spec.ipFamilies ?? []).length) continue
    const family = getFamily(ip)
    if (configured.includes(family)) (spec.ipFamilies ??= []).push(family)
    else errors.push(fieldError.invalid(ipsPath.index(i), spec.clusterIPs, `${family} is not configured on this cluster`))
  }
  return errors
}

function checkConfigured({ ipFamilyPolicy, ipFamilies = [] }: ReadonlySpec, configured: readonly Family[]): FieldErrorList {
  const errors: FieldErrorList = []
  if (ipFamilyPolicy === 'RequireDualStack' && configured.length < 2) {
    errors.push(fieldError.invalid(policyPath, ipFamilyPolicy, 'this cluster is not configured for dual-stack services'))
  }
  for (const [i, family] of ipFamilies.entries()) {
    if (!configured.includes(family as Family))
      errors.push(fieldError.invalid(familiesPath.index(i), family, 'not configured on this cluster'))
  }
  return errors
}
