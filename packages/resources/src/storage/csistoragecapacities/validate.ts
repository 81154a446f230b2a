import type { CSIStorageCapacity } from '@keelson/api/storage/v1'
import {
  fieldError,
  newFieldPath,
  immutableMessage,
  nameIsDNSSubdomain,
  notNegativeMessage,
  parseQuantity,
  equalsSemantically,
  validateLabelSelector,
} from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList } from '@keelson/apimachinery'
import { createInvalidErrors } from '@keelson/resources-core'

type ReadonlyCapacity = DeepReadonly<CSIStorageCapacity>

const topologyPath = newFieldPath('nodeTopology')
const classPath = newFieldPath('storageClassName')

export function validateCSIStorageCapacity(object: ReadonlyCapacity, allowInvalidLabelValue = false): FieldErrorList {
  const { nodeTopology, storageClassName, capacity } = object
  const isNegative = capacity !== undefined && parseQuantity(capacity).sign() < 0
  return [
    ...validateLabelSelector(nodeTopology, topologyPath, { allowInvalidLabelValue }),
    ...createInvalidErrors(nameIsDNSSubdomain(storageClassName, false), storageClassName, classPath),
    ...(isNegative ? [fieldError.invalid(newFieldPath('capacity'), capacity, notNegativeMessage)] : []),
  ]
}

export function validateCSIStorageCapacityUpdate(object: ReadonlyCapacity, old: ReadonlyCapacity): FieldErrorList {
  const errors = validateCSIStorageCapacity(object, validateLabelSelector(old.nodeTopology, topologyPath).length > 0)
  if (!equalsSemantically(object.nodeTopology, old.nodeTopology)) {
    errors.push(fieldError.invalid(topologyPath, object.nodeTopology ?? null, immutableMessage))
  }
  if (object.storageClassName !== old.storageClassName) {
    errors.push(fieldError.invalid(classPath, object.storageClassName, immutableMessage))
  }
  return errors
}
