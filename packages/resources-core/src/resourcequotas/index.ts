import type { ResourceQuota } from '@keelson/api/core/v1'
import { defineResource } from '@keelson/registry'
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
  strategy: resourceQuotaStrategy,
  columns: resourceQuotaColumns,
  subresources: { status: resourceQuotaStatus },
})
