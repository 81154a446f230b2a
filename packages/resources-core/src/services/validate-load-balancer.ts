import { fieldError, newFieldPath, isDNS1123Subdomain, isQualifiedName } from '@keelson/apimachinery'
import type { FieldErrorList } from '@keelson/apimachinery'
import { validateLegacyCidr } from '../cidr.ts'
import { parseIP, validateLegacyIP } from '../ip-address.ts'
import { getSpec } from './service-facts.ts'
import type { ReadonlyService, ReadonlySpec } from './service-facts.ts'

const rangesAnnotation = 'service.beta.kubernetes.io/load-balancer-source-ranges'
const loadBalancerOnly = "may only be used when `type` is 'LoadBalancer'"
const classPath = newFieldPath('spec', 'loadBalancerClass')

/** Validates the source ranges of a load balancer. They are in a field or in an older annotation. */
export function validateSourceRanges(service: ReadonlyService, old: ReadonlyService | undefined): FieldErrorList {
  const { type, loadBalancerSourceRanges: ranges = [] } = getSpec(service)
  const isOtherType = type !== 'LoadBalancer'
  if (ranges.length > 0) {
    // Like upstream, capitalizes the field name in the error path.
    const path = newFieldPath('spec', 'LoadBalancerSourceRanges')
    const oldRanges = new Set((old && getSpec(old).loadBalancerSourceRanges)?.map((range) => range.trim()))
    return [
      ...(isOtherType ? [fieldError.forbidden(path, loadBalancerOnly)] : []),
      ...ranges.flatMap((range, i) => validateLegacyCidr(range.trim(), path.index(i), oldRanges)),
    ]
  }
  const annotation = service.metadata.annotations?.[rangesAnnotation]
  if (annotation === undefined) return []
  const path = newFieldPath('metadata', 'annotations').key(rangesAnnotation)
  const isChanged = old?.metadata.annotations?.[rangesAnnotation] !== annotation && annotation.trim() !== ''
  return [
    ...(isOtherType ? [fieldError.forbidden(path, loadBalancerOnly)] : []),
    ...(isChanged ? annotation.split(',').flatMap((range) => validateLegacyCidr(range.trim(), path)) : []),
  ]
}

export function validateLoadBalancerClass({ type, loadBalancerClass }: ReadonlySpec): FieldErrorList {
  if (loadBalancerClass === undefined) return []
  if (type !== 'LoadBalancer') return [fieldError.forbidden(classPath, loadBalancerOnly)]
  return isQualifiedName(loadBalancerClass).map((message) => fieldError.invalid(classPath, loadBalancerClass, message))
}

/** Rejects changes of the load balancer class, because a load balancer belongs to the controller that created it. */
export function validateLoadBalancerClassUpdate(spec: ReadonlySpec, old: ReadonlySpec): FieldErrorList {
  const staysLoadBalancer = spec.type === 'LoadBalancer' && old.type === 'LoadBalancer'
  const isChanged = staysLoadBalancer && spec.loadBalancerClass !== old.loadBalancerClass
  return [
    ...(isChanged ? [fieldError.invalid(classPath, spec.loadBalancerClass ?? null, 'may not change once set')] : []),
    ...validateLoadBalancerClass(spec),
  ]
}

/** Validates the ingress points in the status of a load balancer. */
export function validateServiceStatus(service: ReadonlyService, old: ReadonlyService): FieldErrorList {
  const ingress = service.status?.loadBalancer?.ingress ?? []
  const path = newFieldPath('status', 'loadBalancer', 'ingress')
  if (getSpec(service).type !== 'LoadBalancer') {
    return ingress.length === 0 ? [] : [fieldError.forbidden(path, "may only be used when `spec.type` is 'LoadBalancer'")]
  }
  const oldAddresses = new Set((old.status?.loadBalancer?.ingress ?? []).map(({ ip = '' }) => ip))
  const modes = ['Proxy', 'VIP']
  return ingress.flatMap(({ ip = '', ipMode, hostname = '' }, i) => {
    const at = path.index(i)
    const modePath = at.child('ipMode')
    const errors = ip === '' ? [] : validateLegacyIP(ip, at.child('ip'), oldAddresses)
    if (ipMode === undefined) {
      if (ip !== '') errors.push(fieldError.required(modePath, 'must be specified when `ip` is set'))
    } else if (ip === '') errors.push(fieldError.forbidden(modePath, 'may not be specified when `ip` is not set'))
    else if (!modes.includes(ipMode)) errors.push(fieldError.notSupported(modePath, ipMode, modes))
    if (hostname === '') return errors
    const hostPath = at.child('hostname')
    errors.push(...isDNS1123Subdomain(hostname).map((message) => fieldError.invalid(hostPath, hostname, message)))
    if (parseIP(hostname) !== undefined) errors.push(fieldError.invalid(hostPath, hostname, 'must be a DNS name, not an IP address'))
    return errors
  })
}
