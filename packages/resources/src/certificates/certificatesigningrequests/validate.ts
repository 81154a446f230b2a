import type { CertificateSigningRequest } from '@keelson/api/certificates/v1'
import { fieldError, newFieldPath, repeatCheck } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList } from '@keelson/apimachinery'
import { validateSignerName } from '@keelson/resources-core'
import { findCertificatesError } from './certificate-pem.ts'
import { findCertificateRequestError } from './request-pem.ts'
import { keyUsages } from './key-usages.ts'
import { validateRequestConditions } from './validate-conditions.ts'

export type ReadonlyRequest = DeepReadonly<CertificateSigningRequest>

export const legacySigner = 'kubernetes.io/legacy-unknown'
const specPath = newFieldPath('spec')
const minSeconds = 600

/** Validates a signing request. On an update, values that `old` already had stay valid even if a create would reject them (ratcheting). */
export function validateSigningRequest({ spec, status = {} }: ReadonlyRequest, old?: ReadonlyRequest): FieldErrorList {
  const errors: FieldErrorList = []
  const requestError = findCertificateRequestError(spec.request ?? '')
  if (requestError !== undefined) errors.push(fieldError.invalid(specPath.child('request'), spec.request, requestError))
  errors.push(...validateUsages(spec.usages ?? [], old?.spec.usages))
  const signerPath = specPath.child('signerName')
  if (spec.signerName === legacySigner && old?.spec.signerName !== legacySigner) {
    errors.push(fieldError.invalid(signerPath, spec.signerName, 'the legacy signerName is not allowed via this API version'))
  } else {
    errors.push(...validateSignerName(spec.signerName, signerPath))
  }
  const { expirationSeconds: seconds } = spec
  if (seconds !== undefined && seconds < minSeconds) {
    const detail = 'may not specify a duration less than 600 seconds (10 minutes)'
    errors.push(fieldError.invalid(specPath.child('expirationSeconds'), seconds, detail))
  }
  errors.push(...validateRequestConditions(status.conditions ?? [], old?.status?.conditions))
  const { certificate = '' } = status
  const oldCertificate = old?.status?.certificate ?? ''
  const isUnchecked = certificate === oldCertificate || (oldCertificate !== '' && findCertificatesError(oldCertificate) !== undefined)
  const certificateError = old !== undefined && isUnchecked ? undefined : findCertificatesError(certificate)
  if (certificateError !== undefined)
    errors.push(fieldError.invalid(newFieldPath('status', 'certificate'), '<certificate data>', certificateError))
  return errors
}

function validateUsages(usages: readonly string[], old: readonly string[] = []): FieldErrorList {
  const path = specPath.child('usages')
  const errors: FieldErrorList = usages.length === 0 ? [fieldError.required(path)] : []
  const allowUnknown = old.some((usage) => !keyUsages.includes(usage))
  const allowRepeated = new Set(old).size < old.length
  for (const [i, usage] of usages.entries()) {
    if (!allowUnknown && !keyUsages.includes(usage)) errors.push(fieldError.notSupported(path.index(i), usage, keyUsages))
  }
  const isRepeated = repeatCheck<string>()
  for (const [i, usage] of usages.entries()) {
    if (isRepeated(usage) && !allowRepeated) errors.push(fieldError.duplicate(path.index(i), usage))
  }
  return errors
}
