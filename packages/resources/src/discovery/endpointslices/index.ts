import type { EndpointSlice } from '@keelson/api/discovery/v1'
import { defineResource } from '@keelson/registry'
import type { ResourceDefinition } from '@keelson/registry'
import { endpointSliceColumns } from './columns.ts'
import { endpointSliceStrategy } from './strategy.ts'

export const endpointSlices: ResourceDefinition<EndpointSlice> = defineResource<EndpointSlice>({
  group: 'discovery.k8s.io',
  version: 'v1',
  kind: 'EndpointSlice',
  plural: 'endpointslices',
  scope: 'Namespaced',
  setDefaults({ ports }) {
    for (const port of ports ?? []) {
      port.name ??= ''
      port.protocol ??= 'TCP'
    }
  },
  strategy: endpointSliceStrategy,
  columns: endpointSliceColumns,
})
