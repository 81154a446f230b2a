import type { Device, ResourceSlice } from '@keelson/api/resource/v1'
import { formatTime, quote, equalsSemantically, systemClock } from '@keelson/apimachinery'
import type { DeepReadonly } from '@keelson/apimachinery'
import type { Strategy } from '@keelson/registry'
import { validateResourceSlice } from './validate.ts'

type ReadonlySlice = DeepReadonly<ResourceSlice>

const listFields = ['bools', 'ints', 'strings', 'versions'] as const

export function setResourceSliceDefaults({ spec }: ResourceSlice): void {
  spec.devices?.forEach(setDeviceDefaults)
}

export function setDeviceDefaults({ taints = [], nodeAllocatableResourceMappings = {} }: Omit<Device, 'name'>): void {
  // Defaulting functions have no request context and so cannot use its clock.
  for (const taint of taints) taint.timeAdded ??= formatTime(systemClock.now())
  for (const mapping of Object.values(nodeAllocatableResourceMappings)) mapping.allocationMultiplier ??= '1'
}

export const resourceSliceStrategy: Strategy<ResourceSlice> = {
  repeatedMetadataChecks: 'update',
  prepareForCreate(_context, slice) {
    slice.metadata.generation = 1
    dropDisabledFields(slice)
  },
  prepareForUpdate(_context, slice, old) {
    if (!equalsSemantically(slice.spec, old.spec)) slice.metadata.generation = (old.metadata.generation ?? 0) + 1
    dropDisabledFields(slice, old)
  },
  validateCreate: (_context, slice) => validateResourceSlice(slice),
  warningsOnCreate: (_context, slice) => findDriverWarnings(slice),
  validateUpdate: (_context, slice, old) => validateResourceSlice(slice, old),
  warningsOnUpdate: (_context, slice) => findDriverWarnings(slice),
}

/** Drops fields of two features that are off by default, unless the stored slice already uses them. */
function dropDisabledFields({ spec }: ResourceSlice, old?: ReadonlySlice): void {
  const before = old?.spec.devices ?? []
  const keepsMappings = before.some((device) => Object.keys(device.nodeAllocatableResourceMappings ?? {}).length > 0)
  const keepsLists = before.some(hasLists)
  for (const device of spec.devices ?? []) {
    if (!keepsMappings) delete device.nodeAllocatableResourceMappings
    if (!keepsLists) dropLists(device)
  }
}

function hasLists({ attributes = {} }: DeepReadonly<Device>): boolean {
  return Object.values(attributes).some((attribute) => listFields.some((member) => attribute[member] !== undefined))
}

function dropLists({ attributes = {} }: Device): void {
  for (const attribute of Object.values(attributes)) for (const member of listFields) delete attribute[member]
}

function findDriverWarnings({ spec: { driver } }: ReadonlySlice): string[] {
  if (driver === driver.toLowerCase()) return []
  return [`spec.driver: driver names should be lowercase; ${quote(driver)} contains uppercase characters`]
}
