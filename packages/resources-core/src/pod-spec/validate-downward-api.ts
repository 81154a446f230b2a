import type { ObjectFieldSelector, ResourceFieldSelector } from '@keelson/api/core/v1'
import { fieldError, parseQuantity } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { validateQualifiedName, validateRequired } from './field-rules.ts'

/** Pod fields that the downward API exposes in environment variables. */
export const environmentFieldPaths: readonly string[] = [
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.serviceAccountName',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
]
export const volumeFieldPaths: readonly string[] = [
  'metadata.annotations',
  'metadata.labels',
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
]
const convertiblePaths: ReadonlySet<string> = new Set([
  ...environmentFieldPaths,
  ...volumeFieldPaths,
  'spec.restartPolicy',
  'spec.schedulerName',
  'status.phase',
])

export function validateFieldRef(ref: DeepReadonly<ObjectFieldSelector>, allowed: readonly string[], path: FieldPath): FieldErrorList {
  const { apiVersion = '', fieldPath = '' } = ref
  if (apiVersion === '') return [fieldError.required(path.child('apiVersion'))]
  if (fieldPath === '') return [fieldError.required(path.child('fieldPath'))]
  const reportUnknown = (reason: string): FieldErrorList => [
    fieldError.invalid(path.child('fieldPath'), fieldPath, `error converting fieldPath: ${reason}`),
  ]
  if (apiVersion !== 'v1') return reportUnknown(`unsupported pod version: ${apiVersion}`)
  const bracket = fieldPath.indexOf("['")
  if (bracket > 0 && fieldPath.endsWith("']") && fieldPath.length >= bracket + 4) {
    const [member, key] = [fieldPath.slice(0, bracket), fieldPath.slice(bracket + 2, -2)]
    if (member === 'metadata.annotations') return validateQualifiedName(key.toLowerCase(), path)
    if (member === 'metadata.labels') return validateQualifiedName(key, path)
    return reportUnknown(`field label does not support subscript: ${fieldPath}`)
  }
  const label = fieldPath === 'spec.host' ? 'spec.nodeName' : fieldPath
  if (!convertiblePaths.has(label)) return reportUnknown(`field label not supported: ${fieldPath}`)
  return allowed.includes(label) ? [] : [fieldError.notSupported(path.child('fieldPath'), label, allowed)]
}

const resourcePaths = [
  'limits.cpu',
  'limits.ephemeral-storage',
  'limits.memory',
  'requests.cpu',
  'requests.ephemeral-storage',
  'requests.memory',
]
const byteDivisors = ['1', '1k', '1M', '1G', '1T', '1P', '1E', '1Ki', '1Mi', '1Gi', '1Ti', '1Pi', '1Ei']

export function validateResourceFieldRef(
  ref: DeepReadonly<ResourceFieldSelector>,
  { path, inVolume }: { readonly path: FieldPath; readonly inVolume: boolean },
): FieldErrorList {
  const { resource = '', containerName = '' } = ref
  let errors: FieldErrorList = []
  if (inVolume && containerName === '') errors = validateRequired(containerName, path.child('containerName'))
  else if (resource === '') errors = [fieldError.required(path.child('resource'))]
  else if (!resourcePaths.includes(resource) && !isHugePagesPath(resource)) {
    errors = [fieldError.notSupported(path.child('resource'), resource, resourcePaths)]
  }
  return [...errors, ...validateDivisor(resource, ref.divisor, path.child('divisor'))]
}

function isHugePagesPath(resource: string): boolean {
  return /^(limits|requests)\.hugepages-/.test(resource)
}

function validateDivisor(resource: string, divisor: string | undefined, path: FieldPath): FieldErrorList {
  if (divisor === undefined) return []
  const quantity = parseQuantity(divisor)
  if (quantity.isZero()) return []
  const [name, allowed] = listDivisors(resource)
  if (allowed.includes(quantity.toString()) || name === '') return []
  const values = name === 'cpu' ? '1m and 1' : byteDivisors.join(', ')
  return [fieldError.invalid(path, resource, `only divisor's values ${values} are supported with the ${name} resource`)]
}

function listDivisors(resource: string): readonly [name: string, allowed: readonly string[]] {
  if (isHugePagesPath(resource)) return ['hugepages', byteDivisors]
  if (!resourcePaths.includes(resource)) return ['', []]
  const name = resource.slice(resource.indexOf('.') + 1)
  if (name === 'cpu') return [name, ['1m', '1']]
  return [name === 'memory' ? name : 'local ephemeral storage', byteDivisors]
}
