import { fieldError, newFieldPath, isValidPortNum } from '@keelson/apimachinery'
import type { FieldErrorList } from '@keelson/apimachinery'
import { isExternallyAccessible, needsHealthCheck } from './service-facts.ts'
import type { ReadonlySpec } from './service-facts.ts'

const policies = ['Cluster', 'Local']
const distributions = ['PreferClose', 'PreferSameZone', 'PreferSameNode']
const externalPath = newFieldPath('spec', 'externalTrafficPolicy')
const internalPath = newFieldPath('spec', 'internalTrafficPolicy')
const healthPath = newFieldPath('spec', 'healthCheckNodePort')
const distributionPath = newFieldPath('spec', 'trafficDistribution')

export function validateTrafficPolicies(spec: ReadonlySpec): FieldErrorList {
  return [...validateExternal(spec), ...validateHealthCheck(spec), ...validateInternal(spec), ...validateDistribution(spec)]
}

/** Rejects changes of a load balancer's health check node port. */
export function validateHealthCheckUpdate(spec: ReadonlySpec, old: ReadonlySpec): FieldErrorList {
  if (!needsHealthCheck(old) || !needsHealthCheck(spec) || spec.healthCheckNodePort === old.healthCheckNodePort) return []
  return [fieldError.forbidden(healthPath, 'field is immutable')]
}

function validateExternal(spec: ReadonlySpec): FieldErrorList {
  const { externalTrafficPolicy: policy = '' } = spec
  if (!isExternallyAccessible(spec)) {
    return policy === '' ? [] : [fieldError.invalid(externalPath, policy, 'may only be set for externally-accessible services')]
  }
  if (policy === '') return [fieldError.required(externalPath)]
  return policies.includes(policy) ? [] : [fieldError.notSupported(externalPath, policy, policies)]
}

function validateHealthCheck(spec: ReadonlySpec): FieldErrorList {
  const { healthCheckNodePort: port = 0 } = spec
  if (needsHealthCheck(spec)) {
    if (port === 0) return [fieldError.required(healthPath)]
    return isValidPortNum(port).map((message) => fieldError.invalid(healthPath, port, message))
  }
  const message = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'"
  return port === 0 ? [] : [fieldError.invalid(healthPath, port, message)]
}

function validateInternal({ internalTrafficPolicy: policy, type = '' }: ReadonlySpec): FieldErrorList {
  if (policy === undefined) return ['NodePort', 'LoadBalancer', 'ClusterIP'].includes(type) ? [fieldError.required(internalPath)] : []
  return policies.includes(policy) ? [] : [fieldError.notSupported(internalPath, policy, policies)]
}

function validateDistribution({ trafficDistribution: distribution }: ReadonlySpec): FieldErrorList {
  if (distribution === undefined || distributions.includes(distribution)) return []
  return [fieldError.notSupported(distributionPath, distribution, distributions)]
}
