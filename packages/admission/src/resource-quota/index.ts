import type { ResourceQuota } from '@keelson/api/core/v1'
import { isApiError, maybeThen, systemClock } from '@keelson/apimachinery'
import type { LoopbackClient } from '@keelson/loopback'
import type { AdmissionAttributes, AdmissionPlugin } from '../admission.ts'
import type { PluginDependencies } from '../admission-plugins.ts'
import { listObjects } from '../find-object.ts'
import { readStrictMembers } from '../strict-members.ts'
import { charge } from './charge.ts'
import type { Charging, ReadonlyQuota } from './charge.ts'

const resourceQuotas = { group: '', resource: 'resourcequotas' }

/**
 * Creates the plugin ResourceQuota. It enforces the quotas of a namespace and adds to their `used`. The quota controller recalculates
 * `used`, which also subtracts.
 */
export function resourceQuota(dependencies: PluginDependencies, configuration?: unknown): AdmissionPlugin {
  checkConfiguration(configuration)
  const { client, clock = systemClock } = dependencies
  return {
    name: 'ResourceQuota',
    operations: ['CREATE', 'UPDATE'],
    validate(attributes) {
      const { kind, namespace, operation, resource } = attributes
      if (namespace === '' || (operation === 'CREATE' && kind.group === '' && kind.kind === 'Namespace')) return
      const rules = client.resource(resource)?.quota
      if (rules === undefined || !rules.isCharged(attributes)) return
      return maybeThen(listObjects<ResourceQuota>(dependencies, resourceQuotas, attributes, namespace), (quotas) => {
        const charging = { rules, now: clock.now() }
        const charged = quotas.filter((quota) => charge(quota, attributes, charging) !== undefined)
        return charged.length === 0 || attributes.dryRun ? undefined : store(client, charged, attributes, charging)
      })
    },
  }
}

/** Rejects the setting `limitedResources`. Ignoring it would admit pods that the administrator wants to reject. */
function checkConfiguration(configuration: unknown = {}): void {
  const { limitedResources = [] } = readStrictMembers(configuration, '', ['kind', 'apiVersion', 'limitedResources'])
  if (!Array.isArray(limitedResources) || limitedResources.length > 0) throw new Error('limitedResources are not supported by this server')
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
