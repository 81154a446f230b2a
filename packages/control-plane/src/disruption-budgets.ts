import type { PodDisruptionBudget } from '@keelson/api/policy/v1'
import type { LoopbackClient, LoopbackResource } from '@keelson/loopback'
import type { DisruptionBudgets } from '@keelson/resources-core'

/** Returns functions to read and update the PodDisruptionBudgets of this server. Lists none if the policy group is not served. */
export function createDisruptionBudgets(client: LoopbackClient): DisruptionBudgets {
  const findBudgets = (): LoopbackResource<PodDisruptionBudget> | undefined =>
    client.resource<PodDisruptionBudget>({ group: 'policy', resource: 'poddisruptionbudgets' })
  return {
    list: async (namespace) => (await findBudgets()?.list({ namespace, resourceVersion: '' }))?.items ?? [],
    async updateStatus(namespace, name, change) {
      await findBudgets()?.update(namespace, name, change, { subresource: 'status' })
    },
  }
}
