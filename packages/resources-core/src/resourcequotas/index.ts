import type { ResourceQuota } from '@keelson/api/core/v1'
import { countObjects, defineResource } from '@keelson/registry'
import type { ResourceDefinition } from '@keelson/registry'
import { resourceQuotaColumns } from './columns.ts'
import { setResourceQuotaDefaults } from './defaults.ts'
import { resourceQuotaStatus, resourceQuotaStrategy } from './strategy.ts'

export const resourceQuotas: ResourceDefinition<ResourceQuota> = defineResource<ResourceQuota>({
  group: '',
  version: 'v1',
  kind: 'ResourceQuota',
  plural: 'resourcequotas',
  scope: 'Namespaced',
  shortNames: ['quota'],
  returnsDeletedObject: true,
  setDefaults: setResourceQuotaDefaults,
  quota: countObjects({ group: '', resource: 'resourcequotas' }, 'resourcequotas'),
  strategy: resourceQuotaStrategy,
  columns: resourceQuotaColumns,
  subresources: { status: resourceQuotaStatus },
})
