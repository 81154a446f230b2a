import { coreV1 } from '@keelson/api/core/v1'
import type { CounterSet, Device, ResourcePool, ResourceSlice, ResourceSliceSpec } from '@keelson/api/resource/v1'
import {
  fieldError,
  newFieldPath,
  nameIsDNSSubdomain,
  equalsSemantically,
  validateImmutableField,
  wasSentEmpty,
} from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { toInternalStruct, createInvalidErrors, printList, validateCSIDriverName, validateNodeSelector } from '@keelson/resources-core'
import { validateSet } from '../lists.ts'
import { validatePoolName } from '../names.ts'
import { validateCounterName, validateCounters } from './validate-counters.ts'
import { validateDevice } from './validate-device.ts'

type ReadonlySpec = DeepReadonly<ResourceSliceSpec>

const specPath = newFieldPath('spec')
const maxDevices = 128
/** Maximum number of devices with taints or counters in a slice. It is lower than the limit for other devices. */
const maxAdvancedDevices = 64
const maxCounterSets = 8

export function validateResourceSlice({ spec }: DeepReadonly<ResourceSlice>, old?: DeepReadonly<ResourceSlice>): FieldErrorList {
  const { driver, pool, devices, sharedCounters } = spec
  const hasBoth = (['devices', 'sharedCounters'] as const).every((member) => (spec[member] ?? null) !== null || wasSentEmpty(spec, member))
  const isAdvanced = (devices ?? []).some(({ taints = [], consumesCounters = [] }) => taints.length > 0 || consumesCounters.length > 0)
  const before = new Map((old?.spec.devices ?? []).map((device) => [device.name, device]))
  const perDevice = spec.perDeviceNodeSelection === true
  const checkDevice = (device: DeepReadonly<Device>, path: FieldPath): FieldErrorList => {
    const keepsTaints = before.has(device.name) && equalsSemantically(before.get(device.name)?.taints, device.taints)
    return validateDevice(device, { perDevice, keepsTaints }, path)
  }
  return [
    ...validateCSIDriverName(driver, specPath.child('driver')),
    ...validatePool(pool, specPath.child('pool')),
    ...(old === undefined ? [] : validateUnchanged(spec, old.spec)),
    ...validateNodeSelection(spec),
    ...(hasBoth ? [fieldError.invalid(specPath, '', 'only one of `sharedCounters` or `devices` is allowed')] : []),
    ...validateSet(
      devices,
      { max: isAdvanced ? maxAdvancedDevices : maxDevices, rule: checkDevice, key: ({ name }) => name },
      specPath.child('devices'),
    ),
    ...validateSet(
      sharedCounters,
      { max: maxCounterSets, rule: validateCounterSet, key: ({ name }) => name },
      specPath.child('sharedCounters'),
    ),
  ]
}

function validatePool({ name, resourceSliceCount, generation }: DeepReadonly<ResourcePool>, path: FieldPath): FieldErrorList {
  const countPath = path.child('resourceSliceCount')
  const generationPath = path.child('generation')
  return [
    ...validatePoolName(name, path.child('name')),
    ...(resourceSliceCount > 0 ? [] : [fieldError.invalid(countPath, resourceSliceCount, 'must be greater than zero')]),
    ...(generation < 0 ? [fieldError.invalid(generationPath, generation, 'must be greater than or equal to zero')] : []),
  ]
}

function validateUnchanged(spec: ReadonlySpec, old: ReadonlySpec): FieldErrorList {
  return [
    ...validateImmutableField(spec.pool.name, old.pool.name, specPath.child('pool', 'name')),
    ...validateImmutableField(spec.driver, old.driver, specPath.child('driver')),
    ...validateImmutableField(spec.nodeName, old.nodeName, specPath.child('nodeName')),
  ]
}

/** Validates node selection, which must be set in exactly one way. */
function validateNodeSelection({ nodeName, nodeSelector, allNodes, perDeviceNodeSelection }: ReadonlySpec): FieldErrorList {
  const errors: FieldErrorList = []
  const selections: string[] = []
  const nodePath = specPath.child('nodeName')
  if (nodeName === '') errors.push(fieldError.invalid(nodePath, nodeName, 'must be either unset or set to a non-empty string'))
  else if (nodeName !== undefined) {
    selections.push('`nodeName`')
    errors.push(...createInvalidErrors(nameIsDNSSubdomain(nodeName, false), nodeName, nodePath))
  }
  if (nodeSelector !== undefined) {
    selections.push('`nodeSelector`')
    const path = specPath.child('nodeSelector')
    const terms = nodeSelector.nodeSelectorTerms ?? []
    errors.push(...validateNodeSelector(nodeSelector, { allowInvalidLabelValues: false }, path))
    if (terms.length !== 1) {
      errors.push(
        fieldError.invalid(
          path.child('nodeSelectorTerms'),
          nodeSelector.nodeSelectorTerms?.map((term) => toInternalStruct(coreV1.table.resolve('NodeSelectorTerm'), term)) ??
            printList(nodeSelector, 'nodeSelectorTerms'),
          'must have exactly one node selector term',
        ),
      )
    }
  }
  for (const [member, value] of Object.entries({ allNodes, perDeviceNodeSelection })) {
    if (value === true) selections.push(`\`${member}\``)
    else if (value === false) errors.push(fieldError.invalid(specPath.child(member), value, 'must be either unset or set to true'))
  }
  const oneRequired = 'exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required'
  if (selections.length === 0) errors.push(fieldError.required(specPath, oneRequired))
  else if (selections.length > 1)
    errors.push(fieldError.invalid(specPath, `{${selections.join(', ')}}`, `${oneRequired}, but multiple fields are set`))
  return errors
}

function validateCounterSet({ name, counters }: DeepReadonly<CounterSet>, path: FieldPath): FieldErrorList {
  return [...validateCounterName(name, path.child('name')), ...validateCounters(counters, path.child('counters'))]
}
