import type { ConfigMap } from '@keelson/api/core/v1'
import type { LoopbackClient } from '@keelson/loopback'
import { createIfAbsent } from './create-if-absent.ts'

const namespace = 'kube-system'
const name = 'kube-apiserver-legacy-service-account-token-tracking'

/**
 * Records the date since which the use of legacy service account tokens is tracked. The controller that removes unused tokens reads this
 * date.
 */
export async function createTokenTracking(client: LoopbackClient, now: () => number): Promise<void> {
  const configMaps = client.resource<ConfigMap>({ group: '', resource: 'configmaps' })
  if (configMaps === undefined) return
  const startDate = new Date(now()).toISOString().slice(0, 10)
  await createIfAbsent(configMaps, namespace, { metadata: { name, namespace }, data: { since: startDate } })
}
