import type { ResourceQuota } from '@keelson/api/core/v1'
import { parseQuantity } from '@keelson/apimachinery'
import type { DeepReadonly } from '@keelson/apimachinery'
import { withoutFields } from '@keelson/apimachinery/managed-fields'
import type { Strategy, SubresourceStrategy } from '@keelson/registry'
import { keepMember } from '../keep-member.ts'
import { validateResourceQuota, validateResourceQuotaStatus, validateResourceQuotaUpdate } from './validate.ts'

export const resourceQuotaStrategy: Strategy<ResourceQuota> = {
  resetFields: withoutFields('status'),
  repeatedMetadataChecks: 'update',
  prepareForCreate(_context, quota) {
    quota.status = {}
  },
  validateCreate: (_context, quota) => validateResourceQuota(quota),
  warningsOnCreate: (_context, quota) => findRequestWarnings(quota),
  prepareForUpdate: (_context, quota, old) => keepMember(quota, old, 'status'),
  validateUpdate: (_context, quota, old) => validateResourceQuotaUpdate(quota, old),
}

export const resourceQuotaStatus: SubresourceStrategy<ResourceQuota> = {
  update: {
    resetFields: withoutFields('spec'),
    prepareForUpdate: (_context, quota, old) => keepMember(quota, old, 'spec'),
    validateUpdate: (_context, quota) => validateResourceQuotaStatus(quota),
  },
}

/** Returns warnings about a quota that allows more requests than limits. The excess can never be used. */
function findRequestWarnings({ spec }: DeepReadonly<ResourceQuota>): readonly string[] {
  const hard = spec?.hard ?? {}
  return ['cpu', 'memory', 'storage', 'ephemeral-storage'].flatMap((resource) => {
    const names = resource === 'cpu' || resource === 'memory' ? [`requests.${resource}`, resource] : [`requests.${resource}`]
    const name = names.find((candidate) => hard[candidate] !== undefined)
    const request = name === undefined ? undefined : hard[name]
    const limit = hard[`limits.${resource}`]
    if (request === undefined || limit === undefined || parseQuantity(request).compare(parseQuantity(limit)) <= 0) return []
    return [`ResourceQuota ${name} (${request}) should be less than limits.${resource} (${limit})`]
  })
}
