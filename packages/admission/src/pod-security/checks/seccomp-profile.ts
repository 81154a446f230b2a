import { quote } from '@keelson/apimachinery'
import type { Check, CheckedContainer, CheckPod, Violation } from '../check.ts'
import { formatContainerNames, formatPlural, quoteItems, formatViolators, sortItems } from '../phrases.ts'
import type { CheckedPod } from '../check.ts'
import { skipForWindows } from './relaxations.ts'

const reason = 'seccompProfile'
const podAnnotation = 'seccomp.security.alpha.kubernetes.io/pod'
const containerAnnotation = 'container.seccomp.security.alpha.kubernetes.io/'

/** Checks the seccomp annotations, which were used before the field `seccompProfile` existed. */
const checkAnnotations: CheckPod = ({ annotations, containers }) => {
  const keys = [podAnnotation, ...containers.map(({ name }) => `${containerAnnotation}${name}`)]
  const violating = sortItems(keys.filter((key) => isBadAnnotation(annotations[key])).map((key) => `${key}=${quote(annotations[key]!)}`))
  return violating.length === 0
    ? undefined
    : { reason, detail: `forbidden ${formatPlural(violating.length, 'annotation')} ${violating.join(', ')}` }
}

function isBadAnnotation(value: string | undefined): boolean {
  return value !== undefined && value !== 'runtime/default' && value !== 'docker/default' && !value.startsWith('localhost/')
}

/** Returns whether the seccomp profile of a pod or container is allowed. Returns undefined if it has no profile. */
function isGood(of: {
  readonly securityContext?: CheckedPod['spec']['securityContext'] | CheckedContainer['securityContext']
}): boolean | undefined {
  const profile = of.securityContext?.seccompProfile
  return profile === undefined ? undefined : profile.type === 'RuntimeDefault' || profile.type === 'Localhost'
}

function findExplicitViolation({ spec, containers }: CheckedPod): Violation | undefined {
  const violating = containers.filter((container) => isGood(container) === false)
  const badPod = isGood(spec) === false
  const violators = formatViolators(badPod, violating)
  if (violators === '') return undefined
  const types = sortItems([...(badPod ? [spec] : []), ...violating].map(({ securityContext }) => securityContext!.seccompProfile!.type))
  return { reason, detail: `${violators} must not set securityContext.seccompProfile.type to ${quoteItems(types)}` }
}

const checkRequired: CheckPod = (pod) => {
  const explicit = findExplicitViolation(pod)
  if (explicit !== undefined || isGood(pod.spec)) return explicit
  const silent = pod.containers.filter((container) => isGood(container) === undefined)
  if (silent.length === 0) return undefined
  return {
    reason,
    detail: `pod or ${formatContainerNames(silent)} must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"`,
  }
}

export const seccompProfileBaseline: Check = {
  id: 'seccompProfile_baseline',
  level: 'baseline',
  versions: [
    { from: 0, check: checkAnnotations },
    { from: 19, check: findExplicitViolation },
  ],
}

export const seccompProfileRestricted: Check = {
  id: 'seccompProfile_restricted',
  level: 'restricted',
  versions: [
    { from: 19, check: checkRequired },
    { from: 25, check: skipForWindows(checkRequired) },
  ],
  overrides: ['seccompProfile_baseline'],
}
