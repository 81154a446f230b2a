import type { Pod, PodCondition, PodResourceClaim, PodResourceClaimStatus } from '@keelson/api/core/v1'
import { fieldError, newFieldPath, nameIsDNSSubdomain, repeatCheck, validateImmutableField } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { createInvalidErrors, validateQualifiedName } from '../pod-spec/field-rules.ts'
import type { PodRules } from '../pod-spec/pod-rules.ts'
import { validateAnnotationUpdate } from './validate-annotation-update.ts'
import { validateContainerStatuses } from './validate-container-statuses.ts'
import { validateExtendedClaim } from './validate-extended-claim.ts'
import { validateHostIPs, validatePodIPs } from './validate-status-ips.ts'
import { validateStateTransitions } from './validate-state-transitions.ts'

const path = newFieldPath('status')
const systemConditions: ReadonlySet<string> = new Set(['PodScheduled', 'Ready', 'Initialized'])
const notNegative = 'must be a non-negative integer'

export function validatePodStatusUpdate(pod: DeepReadonly<Pod>, old: DeepReadonly<Pod>, rules: PodRules): FieldErrorList {
  const { status = {} } = pod
  const { status: oldStatus = {} } = old
  const errors = [...validateAnnotationUpdate(pod, old, rules), ...validateConditions(status.conditions ?? [], path.child('conditions'))]
  if ((pod.spec?.nodeName ?? '') !== (old.spec?.nodeName ?? '')) {
    errors.push(fieldError.forbidden(path.child('nodeName'), 'may not be changed directly'))
  }
  errors.push(...validateNominatedNode(pod, old, path.child('nominatedNodeName')))
  const { observedGeneration = 0 } = status
  if (observedGeneration < 0) errors.push(fieldError.invalid(path.child('observedGeneration'), observedGeneration, notNegative))
  return [
    ...errors,
    ...validateImmutableField(status.qosClass ?? '', oldStatus.qosClass ?? '', path.child('qosClass')),
    ...validateStateTransitions(pod, old, path),
    ...validateClaimStatuses(status.resourceClaimStatuses ?? [], pod.spec?.resourceClaims ?? [], path.child('resourceClaimStatuses')),
    ...validateExtendedClaim(pod, path.child('extendedResourceClaimStatus')),
    ...validatePodIPs(status, oldStatus, path.child('podIPs')),
    ...validateHostIPs(status, oldStatus, path.child('hostIPs')),
    ...validateContainerStatuses(pod, path),
  ]
}

function validateConditions(conditions: readonly DeepReadonly<PodCondition>[], path: FieldPath): FieldErrorList {
  return conditions.flatMap(({ type = '', observedGeneration = 0 }, i) => {
    const at = path.index(i)
    const errors: FieldErrorList =
      observedGeneration < 0 ? [fieldError.invalid(at.child('observedGeneration'), observedGeneration, notNegative)] : []
    return systemConditions.has(type) ? errors : [...errors, ...validateQualifiedName(type, at.child('Type'))]
  })
}

function validateNominatedNode(pod: DeepReadonly<Pod>, old: DeepReadonly<Pod>, at: FieldPath): FieldErrorList {
  const name = pod.status?.nominatedNodeName ?? ''
  if (name === '' || name === old.status?.nominatedNodeName) return []
  const errors = createInvalidErrors(nameIsDNSSubdomain(name, false), name, at)
  if (old.spec?.nodeName) errors.push(fieldError.forbidden(at, 'may not be set on pods that are already bound to a node'))
  return errors
}

function validateClaimStatuses(
  statuses: readonly DeepReadonly<PodResourceClaimStatus>[],
  claims: readonly DeepReadonly<PodResourceClaim>[],
  path: FieldPath,
): FieldErrorList {
  const isRepeated = repeatCheck<string>()
  const claimed = new Set(claims.map(({ name }) => name))
  return statuses.flatMap(({ name = '', resourceClaimName: claim }, i) => {
    const at = path.index(i)
    const errors: FieldErrorList = []
    if (!claimed.has(name)) {
      errors.push(fieldError.invalid(at.child('name'), name, 'must match the name of an entry in `spec.resourceClaims`'))
    }
    if (isRepeated(name)) errors.push(fieldError.duplicate(at.child('name'), name))
    if (claim === undefined) return errors
    return [...errors, ...createInvalidErrors(nameIsDNSSubdomain(claim, false), claim, at.child('resourceClaimName'))]
  })
}
