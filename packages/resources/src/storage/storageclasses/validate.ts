import type { StorageClass } from '@keelson/api/storage/v1'
import { fieldError, newFieldPath, validateImmutableField } from '@keelson/apimachinery'
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
    ...validateDriver(provisioner, newFieldPath('provisioner')),
    ...validateParameters(parameters, newFieldPath('parameters')),
    ...validateSupported(reclaimPolicy || undefined, reclaimPolicies, newFieldPath('reclaimPolicy')),
    ...validateBindingMode(volumeBindingMode),
    ...validateAllowedTopologies(allowedTopologies, newFieldPath('allowedTopologies')),
  ]
}

export function validateStorageClassUpdate(storageClass: ReadonlyStorageClass, old: ReadonlyStorageClass): FieldErrorList {
  const { parameters, provisioner, reclaimPolicy, volumeBindingMode } = storageClass
  const parametersPath = newFieldPath('parameters')
  return [
    ...validateStorageClass(storageClass),
    ...validateImmutableField(parameters ?? {}, old.parameters ?? {}, parametersPath),
    ...validateImmutableField(provisioner, old.provisioner, newFieldPath('provisioner')),
    ...validateImmutableField(reclaimPolicy, old.reclaimPolicy, newFieldPath('reclaimPolicy')),
    ...validateImmutableField(volumeBindingMode, old.volumeBindingMode, newFieldPath('volumeBindingMode')),
  ]
}

function validateBindingMode(mode: string | undefined): FieldErrorList {
  const path = newFieldPath('volumeBindingMode')
  return mode === undefined ? [fieldError.required(path)] : validateSupported(mode, bindingModes, path)
}
