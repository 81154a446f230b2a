import type { APIService } from '@keelson/api/apiregistration/v1'
import { fieldError, newFieldPath, isDNS1035Label, isDNS1123Subdomain, isValidPortNum, quote } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'

const spec = newFieldPath('spec')
const emptySpec: DeepReadonly<NonNullable<APIService['spec']>> = { groupPriorityMinimum: 0, versionPriority: 0 }
const statuses = ['True', 'False', 'Unknown']

export function validateApiService(apiService: DeepReadonly<APIService>): FieldErrorList {
  const {
    group = '',
    version = '',
    groupPriorityMinimum,
    versionPriority,
  } = apiService.spec ?? { groupPriorityMinimum: 0, versionPriority: 0 }
  return [
    ...validateName(apiService),
    ...(group === '' && version !== 'v1'
      ? [fieldError.required(spec.child('group'), 'only v1 may have an empty group and it better be legacy kube')]
      : []),
    ...(group === '' ? [] : listInvalid(spec.child('group'), group, isDNS1123Subdomain(group))),
    ...listInvalid(spec.child('version'), version, isDNS1035Label(version)),
    ...validatePriority(spec.child('groupPriorityMinimum'), groupPriorityMinimum, 20000),
    ...validatePriority(spec.child('versionPriority'), versionPriority, 1000),
    ...validateServer(apiService.spec ?? emptySpec),
  ]
}

/** Validates that the name consists of version and group. The name itself is validated with the other metadata. */
function validateName({ metadata, spec = emptySpec }: DeepReadonly<APIService>): FieldErrorList {
  const { name = '' } = metadata
  const expectedName = `${spec.version ?? ''}.${spec.group ?? ''}`
  if (name === '' || name === expectedName) return []
  return [fieldError.invalid(newFieldPath('metadata', 'name'), name, `must be \`spec.version+"."+spec.group\`: ${quote(expectedName)}`)]
}

function validatePriority(path: FieldPath, priority: number, max: number): FieldErrorList {
  return priority > 0 && priority <= max ? [] : [fieldError.invalid(path, priority, `must be positive and less than ${max}`)]
}

function validateServer({
  service,
  caBundle = '',
  insecureSkipTLSVerify = false,
}: DeepReadonly<Partial<NonNullable<APIService['spec']>>>): FieldErrorList {
  const insecure = spec.child('insecureSkipTLSVerify')
  if (service === undefined) {
    const size = Buffer.from(caBundle, 'base64').length
    return [
      ...(size > 0 ? [fieldError.invalid(spec.child('caBundle'), `${size} bytes`, 'local APIServices may not have a caBundle')] : []),
      ...(insecureSkipTLSVerify ? [fieldError.invalid(insecure, true, 'local APIServices may not have insecureSkipTLSVerify')] : []),
    ]
  }
  const { namespace = '', name = '', port = 0 } = service
  const path = spec.child('service')
  const portErrors = isValidPortNum(port)
  return [
    ...(namespace === '' ? [fieldError.required(path.child('namespace'))] : []),
    ...(name === '' ? [fieldError.required(path.child('name'))] : []),
    ...(portErrors.length > 0 ? [fieldError.invalid(path.child('port'), port, `port is not valid: ${portErrors.join(', ')}`)] : []),
    ...(insecureSkipTLSVerify && caBundle !== '' ? [fieldError.invalid(insecure, true, 'may not be true if caBundle is present')] : []),
  ]
}

function listInvalid(path: FieldPath, value: string, messages: readonly string[]): FieldErrorList {
  return messages.map((message) => fieldError.invalid(path, value, message))
}

export function validateApiServiceStatus({ status }: DeepReadonly<APIService>): FieldErrorList {
  const path = newFieldPath('status', 'conditions')
  return (status?.conditions ?? []).flatMap((condition, i) =>
    statuses.includes(condition.status) ? [] : [fieldError.notSupported(path.index(i).child('status'), condition.status, statuses)],
  )
}
