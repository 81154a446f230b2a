import type { ResourceQuota } from '@keelson/api/core/v1'
import { roundUpToMilli } from '../pod-spec/resource-quantities.ts'

export function setResourceQuotaDefaults({ spec, status }: ResourceQuota): void {
  for (const list of [spec?.hard, status?.hard, status?.used]) roundUpToMilli(list)
}
