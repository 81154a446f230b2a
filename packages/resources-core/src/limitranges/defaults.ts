import type { LimitRange, LimitRangeItem } from '@keelson/api/core/v1'
import { roundUpToMilli } from '../pod-spec/resource-quantities.ts'

export function setLimitRangeDefaults({ spec }: LimitRange): void {
  for (const item of spec?.limits ?? []) {
    if (item.type === 'Container') setContainerDefaults(item)
    for (const list of [item.max, item.min, item.default, item.defaultRequest, item.maxLimitRequestRatio]) roundUpToMilli(list)
  }
}

/** Derives the default limits and requests of containers from `max` and `min`. */
function setContainerDefaults(item: LimitRangeItem): void {
  const limits = { ...item.max, ...item.default }
  const requests = { ...item.min, ...limits, ...item.defaultRequest }
  if (Object.keys(limits).length > 0) item.default = limits
  if (Object.keys(requests).length > 0) item.defaultRequest = requests
}
