import type { ResourceQuota } from '@keelson/api/core/v1'
import type { DeepReadonly } from '@keelson/apimachinery'
import { countObjects, defineResource } from '@keelson/registry'
import type { Column, ResourceDefinition } from '@keelson/registry'
import { roundUpToMilli } from '../pod-spec/resource-quantities.ts'
import { resourceQuotaStatus, resourceQuotaStrategy } from './strategy.ts'

const resourceQuotaColumns: readonly Column<ResourceQuota>[] = [
  { name: 'Request', description: 'Used and maximum amounts of counts and requests.', value: (quota) => formatAmounts(quota, false) },
  { name: 'Limit', description: 'Used and maximum amounts of limits.', value: (quota) => formatAmounts(quota, true) },
]

function formatAmounts({ status }: DeepReadonly<ResourceQuota>, ofLimits: boolean): string {
  const names = Object.keys(status?.hard ?? {}).filter((name) => name.startsWith('limits.') === ofLimits)
  return names
    .sort()
    .map((name) => `${name}: ${status?.used?.[name] ?? '0'}/${status?.hard?.[name]}`)
    .join(', ')
}

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

function setResourceQuotaDefaults({ spec, status }: ResourceQuota): void {
  for (const list of [spec?.hard, status?.hard, status?.used]) roundUpToMilli(list)
}
