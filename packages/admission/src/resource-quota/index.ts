import type { ResourceQuota } from '@keelson/api/core/v1'
import { isApiError, systemClock } from '@keelson/apimachinery'
import { after } from '../after.ts'
import type { AdmissionAttributes, AdmissionPlugin } from '../admission.ts'
import type { PluginDependencies } from '../admission-plugins.ts'
import { listObjects } from '../find-object.ts'
import { strictMembers } from '../strict-members.ts'
import { charge } from './charge.ts'
import type { ReadonlyQuota } from './charge.ts'
import type { Evaluator } from './evaluator.ts'
import { createEvaluators } from './evaluators.ts'

const resourceQuotas = { group: '', resource: 'resourcequotas' }

/** A namespace uses no more than its quotas allow. What is used is counted here as it is asked for; a controller counts again, and takes off. */
export function resourceQuota(dependencies: PluginDependencies, configuration?: unknown): AdmissionPlugin {
  checkConfiguration(configuration)
  const evaluatorOf = createEvaluators(dependencies.clock ?? systemClock)
  return {
    name: 'ResourceQuota',
    operations: ['CREATE', 'UPDATE'],
    validate(attributes) {
      const { kind, namespace, operation, resource } = attributes
      if (namespace === '' || (operation === 'CREATE' && kind.group === '' && kind.kind === 'Namespace')) return
      const evaluator = evaluatorOf(resource)
      if (evaluator === undefined || !evaluator.handles(attributes)) return
      return after(listObjects<ResourceQuota>(dependencies, resourceQuotas, attributes, namespace), (quotas) => {
        const charged = quotas.filter((quota) => charge(quota, evaluator, attributes) !== undefined)
        return charged.length === 0 || attributes.dryRun ? undefined : store(dependencies, charged, evaluator, attributes)
      })
    },
  }
}

/** What may be used only where a quota covers it: whoever counts on that must not believe that it is so. */
function checkConfiguration(configuration: unknown = {}): void {
  const { limitedResources = [] } = strictMembers(configuration, '', ['kind', 'apiVersion', 'limitedResources'])
  if (!Array.isArray(limitedResources) || limitedResources.length > 0) throw new Error('limitedResources are not supported by this server')
}

/** Whoever is first counts first: who loses the race for a quota is measured again by what the winner left. */
async function store(
  { client }: PluginDependencies,
  quotas: readonly ReadonlyQuota[],
  evaluator: Evaluator,
  attributes: AdmissionAttributes,
): Promise<void> {
  const served = client.resource<ResourceQuota>(resourceQuotas)
  for (const { metadata } of quotas) {
    const change = (quota: ResourceQuota): ResourceQuota => {
      const used = charge(quota, evaluator, attributes)
      if (used !== undefined)
        quota.status = { ...quota.status, used: Object.fromEntries([...used].map(([name, amount]) => [name, amount.toString()])) }
      return quota
    }
    try {
      await served?.update(attributes.namespace, metadata.name!, change, { subresource: 'status' })
    } catch (error) {
      // A quota that was taken away meanwhile limits nothing.
      if (!isApiError(error, 'NotFound')) throw error
    }
  }
}
