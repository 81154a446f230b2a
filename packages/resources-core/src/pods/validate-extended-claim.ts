import type { Pod } from '@keelson/api/core/v1'
import { fieldError, nameIsDNSSubdomain } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { createInvalidErrors, validateDNSLabel } from '../pod-spec/field-rules.ts'

/** Validates `extendedResourceClaimStatus`, the status of the resource claim for extended resources that containers request. */
export function validateExtendedClaim({ spec, status }: DeepReadonly<Pod>, path: FieldPath): FieldErrorList {
  const claim = status?.extendedResourceClaimStatus
  if (claim === undefined) return []
  const mappings = claim.requestMappings ?? []
  const mappingsPath = path.child('requestMappings')
  const errors = mappings.length === 0 ? [fieldError.required(mappingsPath, 'at least one request mapping is required')] : []
  const containers = new Map([...(spec?.initContainers ?? []), ...(spec?.containers ?? [])].map((container) => [container.name, container]))
  const visited = new Set<string>()
  for (const [i, mapping] of mappings.entries()) {
    const at = mappingsPath.index(i)
    const { containerName = '', resourceName = '', requestName = '' } = mapping
    const container = containers.get(containerName)
    if (container === undefined) {
      const detail = 'must match the name of an entry in spec.initContainers.name or spec.containers.name'
      errors.push(fieldError.invalid(at.child('containerName'), containerName, detail))
    } else if (container.resources?.requests?.[resourceName] === undefined) {
      const detail =
        'must match the extended resource name of an entry in spec.initContainers.resources.requests or spec.containers.resources.requests'
      errors.push(fieldError.invalid(at.child('resourceName'), resourceName, detail))
    }
    errors.push(...validateDNSLabel(requestName, path.child('requestName')))
    const key = JSON.stringify([containerName, resourceName, requestName])
    if (visited.has(key)) {
      for (const [member, value] of Object.entries({ containerName, resourceName, requestName })) {
        errors.push(fieldError.duplicate(at.child(member), value))
      }
    }
    visited.add(key)
  }
  const name = claim.resourceClaimName ?? ''
  const namePath = path.child('resourceClaimName')
  return [
    ...errors,
    ...(name === '' ? [fieldError.required(namePath)] : createInvalidErrors(nameIsDNSSubdomain(name, false), name, namePath)),
  ]
}
