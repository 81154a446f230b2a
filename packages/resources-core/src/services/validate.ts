import { fieldError, newFieldPath, isDNS1123Subdomain, validateLabels } from '@keelson/apimachinery'
import type { FieldErrorList } from '@keelson/apimachinery'
import { parseIP, validateLegacyIP } from '../ip-address.ts'
import { isHeadless, getSpec } from './service-facts.ts'
import type { ReadonlyService, ReadonlySpec } from './service-facts.ts'
import { validateClusterIPs } from './validate-cluster-ips.ts'
import { validateLoadBalancerClass, validateSourceRanges } from './validate-load-balancer.ts'
import { validatePorts } from './validate-ports.ts'
import { validateTrafficPolicies } from './validate-traffic.ts'

const annotationsPath = newFieldPath('metadata', 'annotations')
const specPath = newFieldPath('spec')
const topologyHints = 'service.kubernetes.io/topology-aware-hints'
const topologyMode = 'service.kubernetes.io/topology-mode'
const serviceTypes = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort']
const maxAffinitySeconds = 86_400

/** Validates a service. Reports errors in upstream's order. The registry validates the metadata. */
export function validateService(service: ReadonlyService, old?: ReadonlyService): FieldErrorList {
  const spec = getSpec(service)
  const oldSpec = old && getSpec(old)
  const { type = '', allocateLoadBalancerNodePorts } = spec
  const isMisplaced = type !== 'LoadBalancer' && allocateLoadBalancerNodePorts !== undefined
  const isMissing = type === 'LoadBalancer' && allocateLoadBalancerNodePorts === undefined
  return [
    ...validateTopology(service),
    ...validateTypeFields(spec),
    ...validatePorts(spec, 'each'),
    ...validateLabels(spec.selector, specPath.child('selector')),
    ...validateAffinity(spec),
    ...validateClusterIPs(spec, oldSpec),
    ...validateExternalIPs(spec, oldSpec),
    ...validateType(type),
    ...validatePorts(spec, 'together'),
    ...validateSourceRanges(service, old),
    ...(isMisplaced
      ? [fieldError.forbidden(specPath.child('allocateLoadBalancerNodePorts'), "may only be used when `type` is 'LoadBalancer'")]
      : []),
    ...(isMissing ? [fieldError.required(newFieldPath('allocateLoadBalancerNodePorts'))] : []),
    ...validateLoadBalancerClass(spec),
    ...validateTrafficPolicies(spec),
  ]
}

function validateTopology({ metadata: { annotations = {} } }: ReadonlyService): FieldErrorList {
  const hints = annotations[topologyHints]
  const mode = annotations[topologyMode]
  if (hints === undefined || mode === undefined || hints === mode) return []
  return [fieldError.invalid(annotationsPath.key(topologyMode), mode, `must match annotations[${topologyHints}] when both are specified`)]
}

/** Validates the fields that the type of the service requires or forbids. */
function validateTypeFields(spec: ReadonlySpec): FieldErrorList {
  const { type, clusterIPs = [], ipFamilies = [], ipFamilyPolicy, externalName = '' } = spec
  const errors: FieldErrorList = []
  if ((spec.ports ?? []).length === 0 && !isHeadless(spec) && type !== 'ExternalName') {
    errors.push(fieldError.required(specPath.child('ports')))
  }
  if ((type === 'LoadBalancer' || type === 'NodePort') && isHeadless(spec)) {
    errors.push(fieldError.invalid(specPath.child('clusterIPs').index(0), clusterIPs[0], `may not be set to 'None' for ${type} services`))
  }
  if (type !== 'ExternalName') return errors
  const forbid = (field: string): number =>
    errors.push(fieldError.forbidden(specPath.child(field), 'may not be set for ExternalName services'))
  if (clusterIPs.length > 0) forbid('clusterIPs')
  if (ipFamilies.length > 0) forbid('ipFamilies')
  if (ipFamilyPolicy !== undefined) forbid('ipFamilyPolicy')
  // A DNS name may end with a dot.
  const name = externalName.endsWith('.') ? externalName.slice(0, -1) : externalName
  const path = specPath.child('externalName')
  if (name === '') errors.push(fieldError.required(path))
  else errors.push(...isDNS1123Subdomain(name).map((message) => fieldError.invalid(path, name, message)))
  return errors
}

function validateAffinity({ sessionAffinity = '', sessionAffinityConfig: config }: ReadonlySpec): FieldErrorList {
  const path = specPath.child('sessionAffinity')
  const configPath = specPath.child('sessionAffinityConfig')
  const reportMissing = (missingPath: typeof path): FieldErrorList => [
    fieldError.required(missingPath, 'when session affinity type is ClientIP'),
  ]
  switch (sessionAffinity) {
    case '':
      return [fieldError.required(path)]
    case 'None':
      return config === undefined ? [] : [fieldError.forbidden(configPath, 'must not be set when session affinity is None')]
    case 'ClientIP': {
      if (config === undefined) return reportMissing(configPath)
      if (config.clientIP === undefined) return reportMissing(configPath.child('clientIP'))
      const seconds = config.clientIP.timeoutSeconds
      const secondsPath = configPath.child('clientIP').child('timeoutSeconds')
      if (seconds === undefined) return reportMissing(secondsPath)
      if (seconds > 0 && seconds <= maxAffinitySeconds) return []
      return [fieldError.invalid(secondsPath, seconds, `must be greater than 0 and less than ${maxAffinitySeconds}`)]
    }
    default:
      return [fieldError.notSupported(path, sessionAffinity, ['ClientIP', 'None'])]
  }
}

function validateExternalIPs({ externalIPs = [] }: ReadonlySpec, old: ReadonlySpec | undefined): FieldErrorList {
  const oldIPs = new Set(old?.externalIPs)
  return externalIPs.flatMap((ip, i) => {
    const path = specPath.child('externalIPs').index(i)
    const errors = validateLegacyIP(ip, path, oldIPs)
    return errors.length > 0 ? errors : findEndpointIPErrors(ip).map((message) => fieldError.invalid(path, ip, message))
  })
}

/** Returns error messages for unspecified, loopback and link-local addresses. */
export function findEndpointIPErrors(ip: string): readonly string[] {
  const address = parseIP(ip)
  if (address === undefined) return ['must be a valid IP address']
  const { bytes, family } = address
  const ipv4 = family === 4 ? bytes.slice(12) : undefined
  const messages: string[] = []
  const startsWithZeros = (count: number): boolean => bytes.slice(0, count).every((byte) => byte === 0)
  if (ipv4 ? ipv4.every((byte) => byte === 0) : startsWithZeros(16)) messages.push(`may not be unspecified (${ip})`)
  if (ipv4 ? ipv4[0] === 127 : startsWithZeros(15) && bytes[15] === 1)
    messages.push('may not be in the loopback range (127.0.0.0/8, ::1/128)')
  if (ipv4 ? ipv4[0] === 169 && ipv4[1] === 254 : bytes[0] === 0xfe && (bytes[1]! & 0xc0) === 0x80) {
    messages.push('may not be in the link-local range (169.254.0.0/16, fe80::/10)')
  }
  if (ipv4 ? ipv4[0] === 224 && ipv4[1] === 0 && ipv4[2] === 0 : bytes[0] === 0xff && (bytes[1]! & 0x0f) === 0x02) {
    messages.push('may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)')
  }
  return messages
}

function validateType(type: string): FieldErrorList {
  if (type === '') return [fieldError.required(specPath.child('type'))]
  return serviceTypes.includes(type) ? [] : [fieldError.notSupported(specPath.child('type'), type, serviceTypes)]
}
