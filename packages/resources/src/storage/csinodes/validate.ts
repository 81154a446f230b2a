import type { CSINode, CSINodeDriver } from '@keelson/api/storage/v1'
import {
  measureUtf8Bytes,
  fieldError,
  newFieldPath,
  goJson,
  immutableMessage,
  repeatCheck,
  equalsSemantically,
  validateNonNegative,
  createVerbatimValue,
} from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { validateCSIDriverName, validateQualifiedName } from '@keelson/resources-core'

type ReadonlyNode = DeepReadonly<CSINode>
type ReadonlyDriver = DeepReadonly<CSINodeDriver>

const driversPath = newFieldPath('spec', 'drivers')
const maxIdLength = 256

export function validateCSINode({ spec }: ReadonlyNode): FieldErrorList {
  const names = new Set<string>()
  const errors: FieldErrorList = []
  for (const [i, driver] of (spec.drivers ?? []).entries()) {
    const path = driversPath.index(i)
    errors.push(...validateDriver(driver, path))
    if (names.has(driver.name)) errors.push(fieldError.duplicate(path.child('name'), driver.name))
    names.add(driver.name)
    errors.push(...validateTopologyKeys(driver.topologyKeys ?? [], path))
  }
  return errors
}

/** Validates an update of a CSINode. Drivers can be added and removed, and can change `allocatable`. Their other fields are immutable. */
export function validateCSINodeUpdate(node: ReadonlyNode, old: ReadonlyNode): FieldErrorList {
  const errors = validateCSINode(node)
  for (const before of old.spec.drivers ?? []) {
    for (const driver of node.spec.drivers ?? []) {
      if (driver.name !== before.name || equalsSemantically(toGoStruct(driver), toGoStruct(before))) continue
      errors.push(fieldError.invalid(driversPath, createVerbatimValue(goJson(toGoStruct(driver))), immutableMessage))
    }
  }
  return errors
}

function validateDriver({ name, nodeID, allocatable }: ReadonlyDriver, path: FieldPath): FieldErrorList {
  const idPath = path.child('nodeID')
  const isTooLong = measureUtf8Bytes(nodeID) > maxIdLength
  return [
    ...validateCSIDriverName(name, path.child('name')),
    ...(nodeID === '' ? [fieldError.required(idPath)] : []),
    ...(isTooLong ? [fieldError.invalid(idPath, nodeID, `must be ${maxIdLength} characters or less`)] : []),
    ...validateNonNegative(allocatable?.count ?? 0, path.child('allocatable', 'count')),
  ]
}

function validateTopologyKeys(keys: readonly string[], path: FieldPath): FieldErrorList {
  const isRepeated = repeatCheck<string>()
  return keys.flatMap((key) => [
    ...(key === '' ? [fieldError.required(path)] : []),
    ...(isRepeated(key) ? [fieldError.duplicate(path, key)] : []),
    ...validateQualifiedName(key, path),
  ])
}

/** Returns the Go struct of a driver for messages, without the mutable field `Allocatable`. */
function toGoStruct({ name, nodeID, topologyKeys }: ReadonlyDriver): object {
  return { Name: name, NodeID: nodeID, TopologyKeys: topologyKeys ?? null, Allocatable: null }
}
