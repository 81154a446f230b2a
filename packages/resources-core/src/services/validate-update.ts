import { fieldError, newFieldPath } from '@keelson/apimachinery'
import type { FieldErrorList } from '@keelson/apimachinery'
import { printList } from '../print-map.ts'
import { isHeadless, getSpec } from './service-facts.ts'
import type { ReadonlyService, ReadonlySpec } from './service-facts.ts'
import { validateLoadBalancerClassUpdate } from './validate-load-balancer.ts'
import { validateHealthCheckUpdate } from './validate-traffic.ts'
import { validateService } from './validate.ts'

const specPath = newFieldPath('spec')
const immutableDetail = 'may not change once set'

export function validateServiceUpdate(service: ReadonlyService, old: ReadonlyService): FieldErrorList {
  const spec = getSpec(service)
  const oldSpec = getSpec(old)
  return [
    ...validateClusterIPsUpdate(spec, oldSpec),
    ...validateFamiliesUpdate(spec, oldSpec),
    ...validateLoadBalancerClassUpdate(spec, oldSpec),
    ...validateHealthCheckUpdate(spec, oldSpec),
    ...validateService(service, old),
  ]
}

/**
 * Validates changes of cluster IPs. The secondary cluster IP can be added or removed. The primary one is immutable, unless the type changes
 * from or to ExternalName.
 */
function validateClusterIPsUpdate(spec: ReadonlySpec, old: ReadonlySpec): FieldErrorList {
  if (spec.type === 'ExternalName' || old.type === 'ExternalName') return []
  if (isHeadless(spec) && isHeadless(old)) return []
  const { clusterIPs: before = [] } = old
  const { clusterIPs: after = [] } = spec
  const value = printList(spec, 'clusterIPs')
  const path = specPath.child('clusterIPs')
  const validateUnmoved = (i: number): FieldErrorList =>
    before[i] === after[i] ? [] : [fieldError.invalid(path.index(i), value, immutableDetail)]
  if (after.length === before.length) return before.flatMap((_ip, i) => validateUnmoved(i))
  if (after.length > before.length) return before.length === 0 ? [] : validateUnmoved(0)
  if (after.length === 0) return [fieldError.invalid(path.index(0), value, 'primary clusterIP can not be unset')]
  return [...validateUnmoved(0), ...(after.length === 1 ? mustBeSingleStack(spec, 'clusterIP') : [])]
}

function validateFamiliesUpdate(spec: ReadonlySpec, old: ReadonlySpec): FieldErrorList {
  if (spec.type === 'ExternalName' || old.type === 'ExternalName') return []
  // Headless services have no cluster IPs, so their IP families can change.
  if (isHeadless(spec) || isHeadless(old)) return []
  const { ipFamilies: before = [] } = old
  const { ipFamilies: after = [] } = spec
  const path = specPath.child('ipFamilies').index(0)
  const first = before[0] === after[0] || before.length === 0 || after.length === 0
  if (after.length === before.length) {
    return before.flatMap((family, i) =>
      family === after[i] ? [] : [fieldError.invalid(path, printList(spec, 'ipFamilies'), immutableDetail)],
    )
  }
  const moved = first ? [] : [fieldError.invalid(path, printList(spec, 'clusterIPs'), immutableDetail)]
  if (after.length > before.length) return moved
  return [
    ...((spec.clusterIPs ?? []).length === 0
      ? [fieldError.invalid(path, printList(spec, 'ipFamilies'), 'primary ipFamily can not be unset')]
      : []),
    ...moved,
    ...(after.length === 1 ? mustBeSingleStack(spec, 'ipFamily') : []),
  ]
}

function mustBeSingleStack({ ipFamilyPolicy }: ReadonlySpec, released: string): FieldErrorList {
  if (ipFamilyPolicy === 'SingleStack') return []
  const message = `must be set to 'SingleStack' when releasing the secondary ${released}`
  return [fieldError.invalid(specPath.child('ipFamilyPolicy'), ipFamilyPolicy ?? null, message)]
}
