import type { ResourceQuota } from '@keelson/api/core/v1'
import type { DeepReadonly } from '@keelson/apimachinery'
import type { Column } from '@keelson/registry'

export const resourceQuotaColumns: readonly Column<ResourceQuota>[] = [
  { name: 'Request', description: 'USED/HARD of what is counted or asked for.', value: (quota) => amounts(quota, false) },
  { name: 'Limit', description: 'USED/HARD of limits.', value: (quota) => amounts(quota, true) },
]

function amounts({ status }: DeepReadonly<ResourceQuota>, ofLimits: boolean): string {
  const names = Object.keys(status?.hard ?? {}).filter((name) => name.startsWith('limits.') === ofLimits)
  return names
    .sort()
    .map((name) => `${name}: ${status?.used?.[name] ?? '0'}/${status?.hard?.[name]}`)
    .join(', ')
}
