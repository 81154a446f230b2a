import type { ResourceClaim, ResourceRequirements } from '@keelson/api/core/v1'
import { fieldError, isQualifiedName, parseQuantity } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath, Quantity } from '@keelson/apimachinery'
import { createInvalidErrors, validateDNSLabel } from './field-rules.ts'
import type { PodRules } from './pod-rules.ts'
import {
  isExtendedResource,
  isHugePages,
  isNativeResource,
  isOvercommitAllowed,
  isPodLevelResource,
  isStandardContainerResource,
  isStandardResource,
  podLevelResources,
} from './resource-names.ts'
import { isDivisibleHugePages, validateResourceQuantity } from './resource-quantities.ts'

export interface ResourceScope {
  readonly rules: PodRules
  /** Names of the pod's resource claims. */
  readonly claims: ReadonlySet<string>
}

type Requirements = DeepReadonly<ResourceRequirements>
type NameRule = (name: string, path: FieldPath) => FieldErrorList

export function validateContainerResources(requirements: Requirements, context: ResourceScope, path: FieldPath): FieldErrorList {
  return validateRequirements(requirements, context, { path, nameRule: validateContainerResourceName })
}

export function validatePodLevelResources(requirements: Requirements, context: ResourceScope, path: FieldPath): FieldErrorList {
  return validateRequirements(requirements, context, { path, nameRule: validatePodResourceName })
}

export function validateResourceName(name: string, path: FieldPath): FieldErrorList {
  const errors = createInvalidErrors(isQualifiedName(name), name, path)
  if (errors.length === 0 && !name.includes('/') && !isStandardResource(name)) {
    errors.push(fieldError.invalid(path, name, 'must be a standard resource type or fully qualified'))
  }
  return errors
}

export function validateContainerResourceName(name: string, path: FieldPath): FieldErrorList {
  const errors = validateResourceName(name, path)
  if (!name.includes('/')) {
    if (!isStandardContainerResource(name)) errors.push(fieldError.invalid(path, name, 'must be a standard resource for containers'))
  } else if (!isNativeResource(name) && !isExtendedResource(name)) {
    errors.push(fieldError.invalid(path, name, "doesn't follow extended resource name standard"))
  }
  return errors
}

function validatePodResourceName(name: string, path: FieldPath): FieldErrorList {
  const errors = validateResourceName(name, path)
  if (errors.length === 0 && !isPodLevelResource(name)) errors.push(fieldError.notSupported(path, name, podLevelResources))
  return errors
}

function validateRequirements(
  requirements: Requirements,
  context: ResourceScope,
  { path, nameRule }: { readonly path: FieldPath; readonly nameRule: NameRule },
): FieldErrorList {
  const errors: FieldErrorList = []
  const limits = parseList(requirements.limits)
  const requests = parseList(requirements.requests)
  const limitsPath = path.child('limits')
  const requestsPath = path.child('requests')
  const validateAmount = (name: string, quantity: Quantity, at: FieldPath): void => {
    errors.push(...nameRule(name, at), ...validateResourceQuantity(name, quantity, at))
  }
  const validateHugePages = (name: string, quantity: Quantity, at: FieldPath): void => {
    if (!isHugePages(name) || context.rules.allowIndivisibleHugePages || isDivisibleHugePages(name, quantity)) return
    errors.push(fieldError.invalid(at, quantity.toString(), `${quantity} is not positive integer multiple of ${name}`))
  }
  for (const [name, quantity] of limits) {
    validateAmount(name, quantity, limitsPath.key(name))
    validateHugePages(name, quantity, limitsPath.key(name))
  }
  for (const [name, quantity] of requests) {
    validateAmount(name, quantity, requestsPath.key(name))
    const limit = limits.get(name)
    if (limit === undefined) {
      if (!isOvercommitAllowed(name)) errors.push(fieldError.required(limitsPath, 'Limit must be set for non overcommitable resources'))
    } else if (!isOvercommitAllowed(name) && !quantity.equals(limit)) {
      errors.push(fieldError.invalid(requestsPath, quantity.toString(), `must be equal to ${name} limit of ${limit}`))
    } else if (quantity.compare(limit) > 0) {
      errors.push(fieldError.invalid(requestsPath, quantity.toString(), `must be less than or equal to ${name} limit of ${limit}`))
    }
    validateHugePages(name, quantity, requestsPath.key(name))
  }
  const names = [...limits.keys(), ...requests.keys()]
  if (names.some(isHugePages) && !names.includes('cpu') && !names.includes('memory')) {
    errors.push(fieldError.forbidden(path, 'HugePages require cpu or memory'))
  }
  return [...errors, ...validateClaimNames(requirements.claims ?? [], context.claims, path.child('claims'))]
}

function parseList(list: Readonly<Record<string, string>> | undefined): ReadonlyMap<string, Quantity> {
  const quantities = new Map<string, Quantity>()
  for (const name in list) quantities.set(name, parseQuantity(list[name]!))
  return quantities
}

/** Validates the resource claims of a container. A container can use a claim as a whole, or several requests of the claim, each once. */
function validateClaimNames(claims: DeepReadonly<ResourceClaim[]>, podClaims: ReadonlySet<string>, path: FieldPath): FieldErrorList {
  const errors: FieldErrorList = []
  const used = new Set<string>()
  for (const [i, { name, request = '' }] of claims.entries()) {
    const at = path.index(i)
    if (!name) {
      errors.push(fieldError.required(at))
      continue
    }
    if (used.has(name)) errors.push(fieldError.duplicate(at, name))
    else {
      if (request !== '') errors.push(...validateDNSLabel(request, at.child('request')))
      const key = request === '' ? name : `${name}/${request}`
      if (used.has(key)) errors.push(fieldError.duplicate(at, key))
      else if (request === '') {
        for (const other of used) if (other.startsWith(`${name}/`)) errors.push(fieldError.duplicate(at, name))
      }
      used.add(key)
    }
    if (podClaims.has(name)) continue
    const supported = podClaims.size === 0 ? ' which is empty' : `: ${[...podClaims].toSorted().join(', ')}`
    errors.push({ ...fieldError.notFoundField(at, name), detail: `must be one of the names in pod.spec.resourceClaims${supported}` })
  }
  return errors
}
