import { createCounter } from '@keelson/apimachinery/metrics'
import type { MetricsRegistry, Value } from '@keelson/apimachinery/metrics'
import type { AdmissionAttributes } from '../admission.ts'
import { parseMinorVersion } from './policy.ts'
import type { LevelVersion, Mode } from './policy.ts'

/** Minor version of this server. Newer versions share one series, so that namespace labels cannot create many series. */
const ownMinor = 36

/**
 * Metrics of the plugin PodSecurity, with kube-apiserver's names. Recording the most common result (privileged level, allowed) needs no
 * lookup.
 */
export interface PodSecurityMetrics {
  countEvaluation(attributes: AdmissionAttributes, isAllowed: boolean, level: LevelVersion, mode: Mode): void
  countExemption(attributes: AdmissionAttributes): void
  /** Counts a failed evaluation. `fatal` means that the policy could not be evaluated at all. */
  countFailure(attributes: AdmissionAttributes, fatal: boolean): void
}

export function createPodSecurityMetrics(registry: MetricsRegistry): PodSecurityMetrics {
  const registerCounter = (name: string, help: string): ReturnType<typeof createCounter> =>
    registry.register(createCounter(name, `[ALPHA] ${help}`))
  const evaluations = registerCounter(
    'pod_security_evaluations_total',
    'Evaluations of policies, without requests that are ignored or exempt.',
  )
  const exemptions = registerCounter('pod_security_exemptions_total', 'Requests that are exempt, without those that are ignored.')
  const errors = registerCounter('pod_security_errors_total', 'Errors that kept from evaluating a policy as it should be.')

  const allowPrivileged = { decision: 'allow', policy_level: 'privileged', policy_version: 'latest', mode: 'enforce' }
  const createPrivilegedCounter = (operation: string): Value =>
    evaluations.with({ ...allowPrivileged, request_operation: operation, resource: 'pod', subresource: '' })
  const privilegedCreate = createPrivilegedCounter('create')
  const privilegedUpdate = createPrivilegedCounter('update')

  return {
    countEvaluation(attributes, isAllowed, { level, version }, mode) {
      const { operation, resource, subresource } = attributes
      if (isAllowed && level === 'privileged' && mode === 'enforce' && resource.resource === 'pods' && subresource === '') {
        const knownValue = operation === 'CREATE' ? privilegedCreate : privilegedUpdate
        knownValue.value++
        return
      }
      const shownVersion =
        level === 'privileged' || version === 'latest' ? 'latest' : parseMinorVersion(version) > ownMinor ? 'future' : version
      const labels = { decision: isAllowed ? 'allow' : 'deny', policy_level: level, policy_version: shownVersion, mode }
      evaluations.with({ ...labels, ...createLabels(attributes) }).value++
    },
    countExemption: (attributes) => void exemptions.with(createLabels(attributes)).value++,
    countFailure: (attributes, fatal) => void errors.with({ fatal: String(fatal), ...createLabels(attributes) }).value++,
  }
}

function createLabels({ operation, resource, subresource }: AdmissionAttributes): Readonly<Record<string, string>> {
  const kind = resource.group === '' && resource.resource === 'pods' ? 'pod' : 'controller'
  return { request_operation: operation.toLowerCase(), resource: kind, subresource }
}
