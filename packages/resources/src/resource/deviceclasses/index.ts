import type { DeviceClass } from '@keelson/api/resource/v1'
import { equalsSemantically } from '@keelson/apimachinery'
import { defineResource, validateInSlices } from '@keelson/registry'
import type { ResourceDefinition } from '@keelson/registry'
import { validateDeviceClass } from './validate.ts'
import { classVersions } from '../served-versions.ts'

/** The definition of device classes: named sets of devices that claims can request. */
export const deviceClasses: ResourceDefinition<DeviceClass> = defineResource<DeviceClass>({
  group: 'resource.k8s.io',
  version: 'v1',
  kind: 'DeviceClass',
  plural: 'deviceclasses',
  alsoServedAs: classVersions,
  scope: 'Cluster',
  returnsDeletedObject: true,
  strategy: {
    prepareForCreate(_context, { metadata }) {
      metadata.generation = 1
    },
    prepareForUpdate(_context, { metadata, spec }, old) {
      if (!equalsSemantically(spec, old.spec)) metadata.generation = (old.metadata.generation ?? 0) + 1
    },
    runValidation: validateInSlices,
    validateCreate: (_context, deviceClass, steps) => validateDeviceClass(deviceClass, { steps }),
    validateUpdate: (_context, deviceClass, old, steps) => validateDeviceClass(deviceClass, { old, steps }),
  },
  columns: [],
})
