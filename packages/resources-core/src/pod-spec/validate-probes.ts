import type { Probe } from '@keelson/api/core/v1'
import { fieldError, validateNonNegative } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { validateHandler } from './validate-handlers.ts'
import type { ReadonlyContainer } from './visit-containers.ts'

const counters = ['initialDelaySeconds', 'timeoutSeconds', 'periodSeconds', 'successThreshold', 'failureThreshold'] as const

/** Validates the liveness, readiness and startup probes of a container. */
export function validateProbes(container: ReadonlyContainer, gracePeriod: number | undefined, path: FieldPath): FieldErrorList {
  const { livenessProbe: liveness, readinessProbe: readiness, startupProbe: startup } = container
  const errors: FieldErrorList = []
  if (liveness !== undefined) {
    const at = path.child('livenessProbe')
    errors.push(...validateProbe(liveness, gracePeriod, at), ...validateSingleSuccess(liveness, at))
  }
  if (readiness !== undefined) {
    const at = path.child('readinessProbe')
    const { terminationGracePeriodSeconds: probeGracePeriod } = readiness
    errors.push(...validateProbe(readiness, gracePeriod, at))
    if (probeGracePeriod !== undefined) {
      errors.push(fieldError.invalid(at.child('terminationGracePeriodSeconds'), probeGracePeriod, 'must not be set for readinessProbes'))
    }
  }
  if (startup !== undefined) {
    const at = path.child('startupProbe')
    errors.push(...validateProbe(startup, gracePeriod, at), ...validateSingleSuccess(startup, at))
  }
  return errors
}

function validateProbe(probe: DeepReadonly<Probe>, gracePeriod: number | undefined, path: FieldPath): FieldErrorList {
  const { terminationGracePeriodSeconds: probeGracePeriod } = probe
  const errors = [
    ...validateHandler(probe, gracePeriod, path),
    ...counters.flatMap((member) => validateNonNegative(probe[member] ?? 0, path.child(member))),
  ]
  if (probeGracePeriod !== undefined && probeGracePeriod <= 0) {
    errors.push(fieldError.invalid(path.child('terminationGracePeriodSeconds'), probeGracePeriod, 'must be greater than 0'))
  }
  return errors
}

function validateSingleSuccess({ successThreshold = 0 }: DeepReadonly<Probe>, path: FieldPath): FieldErrorList {
  return successThreshold === 1 ? [] : [fieldError.invalid(path.child('successThreshold'), successThreshold, 'must be 1')]
}
