import type { ContainerStatus, Pod, ResourceStatus } from '@keelson/api/core/v1'
import { measureUtf8Bytes, fieldError, isValidGroupID, isValidUserID, repeatCheck } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { createInvalidErrors, validateSupported } from '../pod-spec/field-rules.ts'
import type { ReadonlyContainer } from '../pod-spec/visit-containers.ts'

type Status = DeepReadonly<ContainerStatus>

/** Validates container statuses. Checks the user and the device health that kubelets report for each container. */
export function validateContainerStatuses({ spec, status }: DeepReadonly<Pod>, path: FieldPath): FieldErrorList {
  const osName = spec?.os?.name ?? 'linux'
  const lists = [
    ['containerStatuses', spec?.containers],
    ['initContainerStatuses', spec?.initContainers],
    ['ephemeralContainerStatuses', undefined],
  ] as const
  const errors = lists.flatMap(([member]) =>
    (status?.[member] ?? []).flatMap((container, i) => validateUser(container, osName, path.child(member).index(i).child('user', 'linux'))),
  )
  for (const [member, containers] of lists) {
    const byName = new Map((containers ?? []).map((container) => [container.name, container]))
    for (const [i, container] of (status?.[member] ?? []).entries()) {
      const at = path.child(member).index(i).child('allocatedResourcesStatus')
      if (member !== 'ephemeralContainerStatuses') errors.push(...validateAllocated(container, byName.get(container.name), at))
      else if ((container.allocatedResourcesStatus ?? []).length > 0) {
        errors.push(fieldError.forbidden(at, 'must not be specified in container status'))
      }
    }
  }
  return errors
}

function validateUser({ user }: Status, osName: string, path: FieldPath): FieldErrorList {
  const linux = user?.linux
  if (linux === undefined) return []
  if (osName === 'windows') return [fieldError.forbidden(path, 'cannot be set for a windows pod')]
  if (osName !== 'linux') return []
  return [
    ...createInvalidErrors(isValidUserID(linux.uid), linux.uid, path.child('uid')),
    ...createInvalidErrors(isValidGroupID(linux.gid), linux.gid, path.child('gid')),
    ...(linux.supplementalGroups ?? []).flatMap((group, i) =>
      createInvalidErrors(isValidGroupID(group), group, path.child('supplementalGroups').index(i)),
    ),
  ]
}

function validateAllocated(status: Status, container: ReadonlyContainer | undefined, path: FieldPath): FieldErrorList {
  return (status.allocatedResourcesStatus ?? []).flatMap((allocated, i) => {
    const errors = container === undefined ? [] : validateAllocatedName(allocated.name, container, path.index(i).child('name'))
    return errors.concat(validateHealth(allocated, path.index(i).child('resources')))
  })
}

function validateAllocatedName(name: string, { resources }: ReadonlyContainer, path: FieldPath): FieldErrorList {
  if (!name.startsWith('claim:')) {
    if (resources?.requests?.[name] !== undefined) return []
    return [fieldError.invalid(path, name, "must match one of the container's resource requests")]
  }
  const claims = (resources?.claims ?? []).map((claim) => `claim:${claim.name}${claim.request ? `/${claim.request}` : ''}`)
  if (claims.includes(name)) return []
  const detail =
    "must match one of the container's resource claims in a format 'claim:<claimName>/<request>' or 'claim:<claimName>' if request is empty"
  return [fieldError.invalid(path, name, detail)]
}

const healths = ['Healthy', 'Unhealthy', 'Unknown']
const maxMessage = 1024

function validateHealth({ resources }: DeepReadonly<ResourceStatus>, path: FieldPath): FieldErrorList {
  const isRepeated = repeatCheck<string>()
  return (resources ?? []).flatMap(({ resourceID = '', health = '', message }, i) => {
    const at = path.index(i)
    const errors = validateSupported(health, healths, at.child('health'))
    if (message === '') errors.push(fieldError.required(at.child('message'), 'must be non-empty if specified'))
    else if (message !== undefined && measureUtf8Bytes(message) > maxMessage)
      errors.push(fieldError.tooLong(at.child('message'), maxMessage))
    if (isRepeated(resourceID)) errors.push(fieldError.duplicate(at.child('resourceID'), resourceID))
    return errors
  })
}
