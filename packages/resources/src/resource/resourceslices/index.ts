import type { ResourceSlice } from '@keelson/api/resource/v1'
import { defineResource } from '@keelson/registry'
import type { ResourceDefinition } from '@keelson/registry'
import { resourceSliceStrategy, setResourceSliceDefaults } from './strategy.ts'
import { sliceVersions } from '../served-versions.ts'

/** The definition of resource slices: the devices of a driver, on one or several nodes. */
export const resourceSlices: ResourceDefinition<ResourceSlice> = defineResource<ResourceSlice>({
  group: 'resource.k8s.io',
  version: 'v1',
  kind: 'ResourceSlice',
  plural: 'resourceslices',
  alsoServedAs: sliceVersions,
  scope: 'Cluster',
  returnsDeletedObject: true,
  refuseFieldLabel: (label, { group, version, kind }) => `field label not supported for ${group}/${version}, Kind=${kind}: ${label}`,
  selectableFields: { 'spec.nodeName': ({ spec }) => spec.nodeName ?? '', 'spec.driver': ({ spec }) => spec.driver },
  setDefaults: setResourceSliceDefaults,
  strategy: resourceSliceStrategy,
  columns: [
    { name: 'Node', description: 'Node of the devices.', value: ({ spec }) => spec.nodeName ?? '' },
    { name: 'Driver', description: 'Driver that offers the devices.', value: ({ spec }) => spec.driver },
    { name: 'Pool', description: 'Pool of the devices.', value: ({ spec }) => spec.pool.name },
  ],
})
