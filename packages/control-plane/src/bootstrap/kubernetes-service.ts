import type { Service } from '@keelson/api/core/v1'
import type { LoopbackClient } from '@keelson/loopback'
import { createIfAbsent } from './create-if-absent.ts'

export const kubernetesService = 'kubernetes'

export interface KubernetesServiceOptions {
  /** Address of the service: the first address of the first service range. */
  readonly clusterIP: string
  /** Port on which the API servers listen. */
  readonly port: number
}

/**
 * Creates the service through which pods reach the API server, unless it exists. The service has no selector, because the API servers
 * maintain its endpoints.
 */
export async function createKubernetesService(client: LoopbackClient, { clusterIP, port }: KubernetesServiceOptions): Promise<void> {
  const services = client.resource<Service>({ group: '', resource: 'services' })
  if (services === undefined) return
  await createIfAbsent(services, 'default', {
    metadata: { name: kubernetesService, labels: { component: 'apiserver', provider: 'kubernetes' } },
    spec: {
      type: 'ClusterIP',
      clusterIP,
      ipFamilyPolicy: 'SingleStack',
      sessionAffinity: 'None',
      ports: [{ name: 'https', protocol: 'TCP', port: 443, targetPort: port }],
    },
  })
}
