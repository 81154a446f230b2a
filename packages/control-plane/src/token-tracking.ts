import { isApiError } from '@keelson/apimachinery'
import type { KubeObject } from '@keelson/apimachinery'
import type { LoopbackClient } from '@keelson/loopback'

const namespace = 'kube-system'
const name = 'kube-apiserver-legacy-service-account-token-tracking'

interface ConfigMap extends KubeObject {
  data?: Record<string, string>
}

/** Says since which day uses of legacy tokens are noted, so that a cleaner knows how far back "unused" goes. */
export async function createTokenTracking(client: LoopbackClient, now: () => number = Date.now): Promise<void> {
  const configMaps = client.resource<ConfigMap>({ group: '', resource: 'configmaps' })
  if (configMaps === undefined || (await configMaps.get(namespace, name)) !== undefined) return
  try {
    await configMaps.create(namespace, { metadata: { name, namespace }, data: { since: new Date(now()).toISOString().slice(0, 10) } })
  } catch (error) {
    if (!isApiError(error, 'AlreadyExists')) throw error
  }
}
