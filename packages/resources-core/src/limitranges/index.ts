import type { LimitRange, LimitRangeItem } from '@keelson/api/core/v1'
import { newUid } from '@keelson/apimachinery'
import { defineResource } from '@keelson/registry'
import type { ResourceDefinition } from '@keelson/registry'
import { roundUpToMilli } from '../pod-spec/resource-quantities.ts'
import { validateLimitRange } from './validate.ts'

export const limitRanges: ResourceDefinition<LimitRange> = defineResource<LimitRange>({
  group: '',
  version: 'v1',
  kind: 'LimitRange',
  plural: 'limitranges',
  scope: 'Namespaced',
  shortNames: ['limits'],
  setDefaults: setLimitRangeDefaults,
  strategy: {
    allowCreateOnUpdate: true,
    repeatedMetadataChecks: 'create',
    prepareForCreate(_context, { metadata }) {
      // LimitRange is the only kind that can be created without a name. Like kube-apiserver, uses a UID as the name.
      metadata.name ||= newUid()
    },
    validateCreate: (_context, limitRange) => validateLimitRange(limitRange),
    validateUpdate: (_context, limitRange) => validateLimitRange(limitRange),
  },
})

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
