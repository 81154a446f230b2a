import type { PodCertificateProjection, ProjectedVolumeSource, ServiceAccountTokenProjection, VolumeProjection } from '@keelson/api/core/v1'
import { fieldError } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { validateRequired, validateSupported } from './field-rules.ts'
import type { PodRules } from './pod-rules.ts'
import { validateTrustBundle } from './validate-trust-bundle.ts'
import { validateDownwardAPIFile, validateKeyToPath } from './volume-sources-local.ts'
import { validateFileMode, validateUnreservedPath } from './validate-paths.ts'
import { isKubernetesSigner, validateSignerName } from './validate-signer-name.ts'

/**
 * Values for validating the sources of a projected volume. `claim` reserves a file path. It returns false if another source already writes
 * that path.
 */
interface ProjectionContext {
  readonly rules: PodRules
  readonly volumePath: FieldPath
  claim(path: string): boolean
}

/** Validates the sources of a projected volume. Two sources must not write the same file. */
export function validateProjectedVolume(source: DeepReadonly<ProjectedVolumeSource>, rules: PodRules, path: FieldPath): FieldErrorList {
  const paths = new Set<string>()
  const claim = (file: string): boolean => !paths.has(file) && paths.add(file) !== undefined
  const context: ProjectionContext = { rules, volumePath: path, claim }
  const sourceErrors = (source.sources ?? []).flatMap((projection, i) =>
    validateProjection(projection, context, path.child('sources').index(i)),
  )
  return [...validateFileMode(source.defaultMode, path.child('defaultMode')), ...sourceErrors]
}

function validateProjection(projection: DeepReadonly<VolumeProjection>, context: ProjectionContext, path: FieldPath): FieldErrorList {
  const errors: FieldErrorList = []
  const reservePath = (file: string, badValue: string): void => {
    if (!context.claim(file)) errors.push(fieldError.invalid(context.volumePath, badValue, 'conflicting duplicate paths'))
  }
  for (const member of ['secret', 'configMap'] as const) {
    const source = projection[member]
    if (source === undefined) continue
    errors.push(...validateRequired(source.name, path.child(member, 'name')))
    const items = source.items ?? []
    for (let i = 0; i < items.length; i++) {
      const item = items[i]!
      errors.push(...validateKeyToPath(item, path.child(member, 'items').index(i)))
      if (item.path) reservePath(item.path, source.name ?? '')
    }
  }
  for (const file of projection.downwardAPI?.items ?? []) {
    errors.push(...validateDownwardAPIFile(file, path.child('downwardAPI')))
    if (file.path) reservePath(file.path, file.path)
  }
  const { serviceAccountToken: token, clusterTrustBundle: bundle, podCertificate: certificate } = projection
  if (token !== undefined) errors.push(...validateToken(token, context, path.child('serviceAccountToken')))
  if (bundle !== undefined) {
    errors.push(...validateTrustBundle(bundle, path.child('clusterTrustBundle')))
    reservePath(bundle.path ?? '', bundle.path ?? '')
  }
  if (certificate !== undefined) errors.push(...validateCertificate(certificate, reservePath, path.child('podCertificate')))
  let sources = 0
  for (const member in projection) if (projection[member as keyof VolumeProjection] !== undefined) sources++
  if (sources > 1) {
    errors.push(fieldError.forbidden(path, 'may not specify more than 1 volume type per source'))
  }
  return errors
}

const minTokenSeconds = 600
const maxTokenSeconds = 2 ** 32

function validateToken(token: DeepReadonly<ServiceAccountTokenProjection>, context: ProjectionContext, path: FieldPath): FieldErrorList {
  const seconds = token.expirationSeconds ?? 0
  const errors: FieldErrorList = []
  const secondsPath = path.child('expirationSeconds')
  if (seconds < minTokenSeconds) errors.push(fieldError.invalid(secondsPath, seconds, 'may not specify a duration less than 10 minutes'))
  if (seconds > maxTokenSeconds)
    errors.push(fieldError.invalid(secondsPath, seconds, 'may not specify a duration larger than 2^32 seconds'))
  const filePath = context.volumePath.child('path')
  if (!token.path) errors.push(fieldError.required(filePath))
  else if (!context.rules.allowNonLocalTokenPaths) errors.push(...validateUnreservedPath(token.path, filePath))
  return errors
}

const keyTypes = ['RSA3072', 'RSA4096', 'ECDSAP256', 'ECDSAP384', 'ECDSAP521', 'ED25519']
const hour = 3600
const day = 24 * hour

function validateCertificate(
  certificate: DeepReadonly<PodCertificateProjection>,
  reservePath: (file: string, badValue: string) => void,
  path: FieldPath,
): FieldErrorList {
  const { signerName = '', maxExpirationSeconds: seconds } = certificate
  const errors = [
    ...validateSignerName(signerName, path.child('signerName')),
    ...validateSupported(certificate.keyType ?? '', keyTypes, path.child('keyType')),
  ]
  if (seconds !== undefined) {
    const at = path.child('maxExpirationSeconds')
    const max = isKubernetesSigner(signerName) ? day : 91 * day
    if (seconds < hour) errors.push(fieldError.invalid(at, seconds, `if provided, maxExpirationSeconds must be >= ${hour}`))
    if (seconds > max) errors.push(fieldError.invalid(at, seconds, `if provided, maxExpirationSeconds must be <= ${max}`))
  }
  const members = (['credentialBundlePath', 'keyPath', 'certificateChainPath'] as const).filter((member) => certificate[member])
  for (const member of members) {
    errors.push(...validateUnreservedPath(certificate[member]!, path.child(member)))
    reservePath(certificate[member]!, certificate[member]!)
  }
  if (members.length === 0) {
    errors.push(fieldError.required(path, 'specify at least one of credentialBundlePath, keyPath, and certificateChainPath'))
  }
  return errors
}
