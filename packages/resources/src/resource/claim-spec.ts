import type {
  DeviceClaim,
  DeviceClaimConfiguration,
  DeviceConstraint,
  ResourceClaimSpec,
  ResourceClaimStatus,
} from '@keelson/api/resource/v1'
import { fieldError, isDNS1123Label } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'
import type { ValidationSteps } from '@keelson/registry'
import { createInvalidErrors } from '@keelson/resources-core'
import { validateConfiguration } from './configuration.ts'
import { validateList, validateSet } from './lists.ts'
import { validateFullyQualifiedKey } from './names.ts'
import { setRequestDefaults, validateRequest } from './requests.ts'
import { setTolerationDefaults } from './taints.ts'

export const maxRequests = 32
const maxConstraints = 32
const maxConfigurations = 32

export function setClaimSpecDefaults({ devices }: ResourceClaimSpec): void {
  for (const { exactly, firstAvailable = [] } of devices.requests ?? []) {
    if (exactly !== undefined) setRequestDefaults(exactly)
    firstAvailable.forEach(setRequestDefaults)
  }
}

/** Sets defaults of a claim's status, for v1 and v1beta1. */
export function setClaimStatusDefaults(status: ResourceClaimStatus | undefined): void {
  status?.allocation?.devices?.results?.forEach(setTolerationDefaults)
}

export function validateClaimSpec(
  { devices }: DeepReadonly<ResourceClaimSpec>,
  path: FieldPath,
  steps: ValidationSteps | undefined,
): FieldErrorList {
  const { requests, constraints, config } = devices
  const names = collectRequestNames(devices)
  const at = path.child('devices')
  return [
    ...validateSet(
      requests,
      { max: maxRequests, rule: (request, p) => validateRequest(request, p, steps), key: ({ name }) => name },
      at.child('requests'),
    ),
    ...validateList(constraints, maxConstraints, (item, p) => validateConstraint(item, names, p), at.child('constraints')),
    ...validateList(config, maxConfigurations, (item, p) => validateClaimConfiguration(item, names, p), at.child('config')),
  ]
}

/** Returns the names of all requests, and "request/subrequest" for each alternative. */
export function collectRequestNames({ requests }: DeepReadonly<DeviceClaim>): ReadonlySet<string> {
  const names = new Set<string>()
  for (const { name, firstAvailable = [] } of requests ?? []) {
    names.add(name)
    for (const request of firstAvailable) names.add(`${name}/${request.name}`)
  }
  return names
}

export function validateRequestReferences(
  references: readonly string[] | undefined,
  names: ReadonlySet<string>,
  path: FieldPath,
): FieldErrorList {
  const validateReference = (name: string, at: FieldPath): FieldErrorList => validateRequestReference(name, names, at)
  return validateSet(references, { max: maxRequests, rule: validateReference, key: (name) => name }, path)
}

export function validateRequestReference(name: string, names: ReadonlySet<string>, path: FieldPath): FieldErrorList {
  const detail = "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'"
  const segments = name.split('/')
  if (segments.length > 2) return [fieldError.invalid(path, name, detail)]
  return [
    ...segments.flatMap((segment) => createInvalidErrors(isDNS1123Label(segment), segment, path)),
    ...(names.has(name) ? [] : [fieldError.invalid(path, name, detail)]),
  ]
}

function validateConstraint(constraint: DeepReadonly<DeviceConstraint>, names: ReadonlySet<string>, path: FieldPath): FieldErrorList {
  const { requests, matchAttribute, distinctAttribute } = constraint
  const errors = validateRequestReferences(requests, names, path.child('requests'))
  if (matchAttribute !== undefined) return [...errors, ...validateFullyQualifiedKey(matchAttribute, path.child('matchAttribute'))]
  if (distinctAttribute !== undefined) return [...errors, ...validateFullyQualifiedKey(distinctAttribute, path.child('distinctAttribute'))]
  const detail = 'exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set'
  return [...errors, fieldError.required(path, detail)]
}

function validateClaimConfiguration(
  config: DeepReadonly<DeviceClaimConfiguration>,
  names: ReadonlySet<string>,
  path: FieldPath,
): FieldErrorList {
  return [...validateRequestReferences(config.requests, names, path.child('requests')), ...validateConfiguration(config, path)]
}
