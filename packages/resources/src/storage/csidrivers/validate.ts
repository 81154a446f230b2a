import type { CSIDriver, TokenRequest } from '@keelson/api/storage/v1'
import { fieldError, newFieldPath, validateImmutableField } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { validateSupported } from '@keelson/resources-core'

type ReadonlyDriver = DeepReadonly<CSIDriver>

const specPath = newFieldPath('spec')
const groupPolicies = ['File', 'None', 'ReadWriteOnceWithFSType']
const lifecycleModes = ['Persistent', 'Ephemeral']
const minUpdatePeriod = 10
const minTokenSeconds = 600
const maxTokenSeconds = 2 ** 32

export function validateCSIDriver({ spec }: ReadonlyDriver): FieldErrorList {
  const require = (value: unknown, member: string): FieldErrorList =>
    value === undefined ? [fieldError.required(specPath.child(member))] : []
  const { tokenRequests = [], nodeAllocatableUpdatePeriodSeconds: period, serviceAccountTokenInSecrets: inSecrets } = spec
  return [
    // This path has upstream's spelling of the field name.
    ...require(spec.attachRequired, 'attachedRequired'),
    ...require(spec.podInfoOnMount, 'podInfoOnMount'),
    ...require(spec.storageCapacity, 'storageCapacity'),
    ...validateSupported(spec.fsGroupPolicy, groupPolicies, specPath.child('fsGroupPolicy')),
    ...validateTokenRequests(tokenRequests, specPath.child('tokenRequests')),
    ...(spec.volumeLifecycleModes ?? []).flatMap((mode) => validateSupported(mode, lifecycleModes, specPath.child('volumeLifecycleModes'))),
    ...require(spec.seLinuxMount, 'seLinuxMount'),
    ...(period !== undefined && period < minUpdatePeriod
      ? [fieldError.invalid(specPath.child('nodeAllocatableUpdatePeriodSeconds'), period, 'must be greater than or equal to 10 seconds')]
      : []),
    ...(inSecrets !== undefined && tokenRequests.length === 0
      ? [
          fieldError.invalid(
            specPath.child('serviceAccountTokenInSecrets'),
            inSecrets,
            'serviceAccountTokenInSecrets is set but no tokenRequests are specified',
          ),
        ]
      : []),
  ]
}

export function validateCSIDriverUpdate(driver: ReadonlyDriver, old: ReadonlyDriver): FieldErrorList {
  return [
    ...validateCSIDriver(driver),
    ...validateImmutableField(driver.spec.attachRequired, old.spec.attachRequired, specPath.child('attachedRequired')),
    ...validateImmutableField(driver.spec.volumeLifecycleModes, old.spec.volumeLifecycleModes, specPath.child('volumeLifecycleModes')),
  ]
}

function validateTokenRequests(requests: readonly DeepReadonly<TokenRequest>[], path: FieldPath): FieldErrorList {
  const visited = new Set<string>()
  return requests.flatMap(({ audience, expirationSeconds: seconds }, i) => {
    if (visited.has(audience)) return [fieldError.duplicate(path.index(i).child('audience'), audience)]
    visited.add(audience)
    const at = path.index(i).child('expirationSeconds')
    if (seconds === undefined) return []
    if (seconds < minTokenSeconds) return [fieldError.invalid(at, seconds, 'may not specify a duration less than 10 minutes')]
    return seconds > maxTokenSeconds ? [fieldError.invalid(at, seconds, 'may not specify a duration larger than 2^32 seconds')] : []
  })
}
