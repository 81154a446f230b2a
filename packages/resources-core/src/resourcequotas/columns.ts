import type { ResourceQuota } from '@keelson/api/core/v1'
import type { DeepReadonly } from '@keelson/apimachinery'
import type { Column } from '@keelson/registry'

export const resourceQuotaColumns: readonly Column<ResourceQuota>[] = [
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
