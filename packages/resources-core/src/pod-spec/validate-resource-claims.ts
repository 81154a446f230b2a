import { coreV1 } from '@keelson/api/core/v1'
import type { PodResourceClaim } from '@keelson/api/core/v1'
import { fieldError, nameIsDNSSubdomain, unnamedPath } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { toInternalStruct } from '../internal-structs/to-internal-struct.ts'
import { mirrorAnnotation } from './annotation-keys.ts'
import { createInvalidErrors, validateDNSLabel } from './field-rules.ts'

type Annotations = Readonly<Record<string, string>>

/** Validates the resource claims of a pod. Each must name either an existing ResourceClaim or a ResourceClaimTemplate. */
export function validateResourceClaims(
  claims: readonly DeepReadonly<PodResourceClaim>[],
  annotations: Annotations | undefined,
  path: FieldPath,
): FieldErrorList {
  const names = new Set<string>()
  return claims.flatMap((claim, i) => {
    if (annotations !== undefined && Object.hasOwn(annotations, mirrorAnnotation)) {
      return [fieldError.forbidden(unnamedPath, 'static pods do not support resource claims')]
    }
    const { name = '', resourceClaimName: claimName, resourceClaimTemplateName: template } = claim
    const at = path.index(i)
    const errors: FieldErrorList = []
    if (name === '') errors.push(fieldError.required(at.child('name')))
    else if (names.has(name)) errors.push(fieldError.duplicate(at.child('name'), name))
    else errors.push(...validateDNSLabel(name, at.child('name')))
    if (name !== '') names.add(name)
    const printed = toInternalStruct(coreV1.table.resolve('PodResourceClaim'), claim)
    if (claimName !== undefined && template !== undefined) {
      errors.push(fieldError.invalid(at, printed, 'at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified'))
    }
    if (claimName === undefined && template === undefined) {
      errors.push(fieldError.invalid(at, printed, 'must specify one of: `resourceClaimName`, `resourceClaimTemplateName`'))
    }
    return [
      ...errors,
      ...(claimName === undefined
        ? []
        : createInvalidErrors(nameIsDNSSubdomain(claimName, false), claimName, at.child('resourceClaimName'))),
      ...(template === undefined
        ? []
        : createInvalidErrors(nameIsDNSSubdomain(template, false), template, at.child('resourceClaimTemplateName'))),
    ]
  })
}
