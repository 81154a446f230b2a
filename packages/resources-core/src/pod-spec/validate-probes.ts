import type { Probe } from '@keelson/api/core/v1'
import { fieldError, validateNonNegative } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { validateHandler } from './validate-handlers.ts'
import type { ReadonlyContainer } from './visit-containers.ts'

const counters = ['initialDelaySeconds', 'timeoutSeconds', 'periodSeconds', 'successThreshold', 'failureThreshold'] as const

/** Liveness, readiness, startup. */
export function validateProbes(container: ReadonlyContainer, gracePeriod: number | undefined, path: FieldPath): FieldErrorList {
  const { livenessProbe: liveness, readinessProbe: readiness, startupProbe: startup } = container
  const errors: FieldErrorList = []
  if (liveness !== undefined) {
    const at = path.child('livenessProbe')
    errors.push(...validateProbe(liveness, gracePeriod, at), ...validateSingleSuccess(liveness, at))
  }
  if (readiness !== undefined) {
    const at = path.child('readinessProbe')
    const { terminationGracePeriodSeconds: own } = readiness
    errors.push(...validateProbe(readiness, gracePeriod, at))
    if (own !== undefined) {
      errors.push(fieldError.invalid(at.child('terminationGracePeriodSeconds'), own, 'must not be set for readinessProbes'))
    }
  }
  if (startup !== undefined) {
    const at = path.child('startupProbe')
    errors.push(...validateProbe(startup, gracePeriod, at), ...validateSingleSuccess(startup, at))
  }
  return errors
}

function validateProbe(probe: DeepReadonly<Probe>, gracePeriod: number | undefined, path: FieldPath): FieldErrorList {
  const { terminationGracePeriodSeconds: own } = probe
  const errors = [
    ...validateHandler(probe, gracePeriod, path),
    ...counters.flatMap((member) => validateNonNegative(probe[member] ?? 0, path.child(member))),
  ]
  if (own !== undefined && own <= 0) {
    errors.push(fieldError.invalid(path.child('terminationGracePeriodSeconds'), own, 'must be greater than 0'))
  }
  return errors
}

function validateSingleSuccess({ successThreshold = 0 }: DeepReadonly<Probe>, path: FieldPath): FieldErrorList {
  return successThreshold === 1 ? [] : [fieldError.invalid(path.child('successThreshold'), successThreshold, 'must be 1')]
}
