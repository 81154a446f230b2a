import type { ResourceQuota } from '@keelson/api/core/v1'
import { isApiError, runAfter, systemClock } from '@keelson/apimachinery'
import type { LoopbackClient } from '@keelson/loopback'
import type { AdmissionAttributes, AdmissionPlugin } from '../admission.ts'
import type { PluginDependencies } from '../admission-plugins.ts'
import { listObjects } from '../find-object.ts'
import { appliesTo, charge, checkConstraints } from './charge.ts'
import type { Charging, ReadonlyQuota } from './charge.ts'
import { checkCoverage } from './check-coverage.ts'
import { readLimitedResources } from './limited-resources.ts'

const resourceQuotas = { group: '', resource: 'resourcequotas' }

/**
 * Creates the plugin ResourceQuota. It enforces the quotas of a namespace and adds to their `used`. The quota controller recalculates
 * `used`, which also subtracts. The configuration lists limited resources, which cannot be consumed without a quota.
 */
export function createResourceQuotaPlugin(dependencies: PluginDependencies, configuration?: unknown): AdmissionPlugin {
  const limited = readLimitedResources(configuration)
  const { client, clock = systemClock } = dependencies
  return {
    name: 'ResourceQuota',
    operations: ['CREATE', 'UPDATE'],
    validate(attributes) {
      const { kind, namespace, operation, resource } = attributes
      if (namespace === '' || (operation === 'CREATE' && kind.group === '' && kind.kind === 'Namespace')) return
      const rules = client.resource(resource)?.quota
      if (rules === undefined || !rules.isCharged(attributes)) return
      return runAfter(listObjects<ResourceQuota>(dependencies, resourceQuotas, attributes, namespace), (quotas) => {
        if (quotas.length === 0 && limited.length === 0) return
        const charging = { rules, now: clock.now() }
        const applicable = quotas.filter((quota) => appliesTo(quota, rules, attributes.object!))
        for (const quota of applicable) checkConstraints(quota, attributes, charging)
        if (limited.length > 0) checkCoverage(quotas, attributes, charging, limited)
        const charged = applicable.filter((quota) => charge(quota, attributes, charging) !== undefined)
        return charged.length === 0 || attributes.dryRun ? undefined : store(client, charged, attributes, charging)
      })
    },
  }
}

/** Writes the new usage of a quota. After a conflict, evaluates the quota again with its current usage. */
async function store(
  client: LoopbackClient,
  quotas: readonly ReadonlyQuota[],
  attributes: AdmissionAttributes,
  charging: Charging,
): Promise<void> {
  const served = client.resource<ResourceQuota>(resourceQuotas)
  for (const { metadata } of quotas) {
    const change = (quota: ResourceQuota): ResourceQuota => {
      const used = charge(quota, attributes, charging)
      if (used !== undefined)
        quota.status = { ...quota.status, used: Object.fromEntries([...used].map(([name, amount]) => [name, amount.toString()])) }
      return quota
    }
    try {
      await served?.update(attributes.namespace, metadata.name!, change, { subresource: 'status' })
    } catch (error) {
      // Ignores a quota that was deleted in the meantime.
      if (!isApiError(error, 'NotFound')) throw error
    }
  }
}
