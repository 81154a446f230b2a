import type { StorageClass } from '@keelson/api/storage/v1'
import { byteLength, fieldError, fieldPath, validateImmutableField } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList } from '@keelson/apimachinery'
import { validateQualifiedName, validateSupported } from '@keelson/resources-core'
import { validateAllowedTopologies } from './validate-topologies.ts'

type ReadonlyStorageClass = DeepReadonly<StorageClass>

const maxParameters = 512
const maxParametersSize = 256 * 1024
const reclaimPolicies = ['Delete', 'Retain']
const bindingModes = ['Immediate', 'WaitForFirstConsumer']

export function validateStorageClass(storageClass: ReadonlyStorageClass): FieldErrorList {
  const { provisioner, parameters = {}, reclaimPolicy, volumeBindingMode, allowedTopologies = [] } = storageClass
  const provisionerPath = fieldPath('provisioner')
  return [
    ...(provisioner === '' ? [fieldError.required(provisionerPath)] : validateQualifiedName(provisioner.toLowerCase(), provisionerPath)),
    ...validateParameters(parameters),
    ...validateSupported(reclaimPolicy || undefined, reclaimPolicies, fieldPath('reclaimPolicy')),
    ...validateBindingMode(volumeBindingMode),
    ...validateAllowedTopologies(allowedTopologies, fieldPath('allowedTopologies')),
  ]
}

export function validateStorageClassUpdate(storageClass: ReadonlyStorageClass, old: ReadonlyStorageClass): FieldErrorList {
  const { parameters, provisioner, reclaimPolicy, volumeBindingMode } = storageClass
  const parametersPath = fieldPath('parameters')
  return [
    ...validateStorageClass(storageClass),
    ...validateImmutableField(parameters ?? {}, old.parameters ?? {}, parametersPath),
    ...validateImmutableField(provisioner, old.provisioner, fieldPath('provisioner')),
    ...validateImmutableField(reclaimPolicy, old.reclaimPolicy, fieldPath('reclaimPolicy')),
    ...validateImmutableField(volumeBindingMode, old.volumeBindingMode, fieldPath('volumeBindingMode')),
  ]
}

function validateBindingMode(mode: string | undefined): FieldErrorList {
  const path = fieldPath('volumeBindingMode')
  return mode === undefined ? [fieldError.required(path)] : validateSupported(mode, bindingModes, path)
}

function validateParameters(parameters: Readonly<Record<string, string>>): FieldErrorList {
  const path = fieldPath('parameters')
  const entries = Object.entries(parameters)
  if (entries.length > maxParameters) return [fieldError.tooLong(path, maxParameters)]
  const errors: FieldErrorList = '' in parameters ? [fieldError.invalid(path, '', 'field can not be empty.')] : []
  const size = entries.reduce((sum, [key, value]) => sum + byteLength(key) + byteLength(value), 0)
  if (size > maxParametersSize) errors.push(fieldError.tooLong(path, maxParametersSize))
  return errors
}
