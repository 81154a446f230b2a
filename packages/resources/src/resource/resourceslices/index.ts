import type { ResourceSlice } from '@keelson/api/resource/v1'
import { defineResource } from '@keelson/registry'
import type { ResourceDefinition } from '@keelson/registry'
import { resourceSliceStrategy, setResourceSliceDefaults } from './strategy.ts'
import { sliceVersions } from '../served-versions.ts'

/** Devices that a driver has to give, on one node or on many. */
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
    { name: 'Node', description: 'Where the devices are.', value: ({ spec }) => spec.nodeName ?? '' },
    { name: 'Driver', description: 'Who gives them.', value: ({ spec }) => spec.driver },
    { name: 'Pool', description: 'What they belong to.', value: ({ spec }) => spec.pool.name },
  ],
})
