import type { StorageClass } from '@keelson/api/storage/v1'
import { fieldError, fieldPath, validateImmutableField } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList } from '@keelson/apimachinery'
import { validateSupported } from '@keelson/resources-core'
import { validateDriver, validateParameters } from '../driver-parameters.ts'
import { validateAllowedTopologies } from './validate-topologies.ts'

type ReadonlyStorageClass = DeepReadonly<StorageClass>

const reclaimPolicies = ['Delete', 'Retain']
const bindingModes = ['Immediate', 'WaitForFirstConsumer']

export function validateStorageClass(storageClass: ReadonlyStorageClass): FieldErrorList {
  const { provisioner, parameters = {}, reclaimPolicy, volumeBindingMode, allowedTopologies = [] } = storageClass
  return [
    ...validateDriver(provisioner, fieldPath('provisioner')),
    ...validateParameters(parameters, fieldPath('parameters')),
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
