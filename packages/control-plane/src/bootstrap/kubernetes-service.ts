import type { Service } from '@keelson/api/core/v1'
import type { LoopbackClient } from '@keelson/loopback'
import { createIfAbsent } from './create-if-absent.ts'

export const kubernetesService = 'kubernetes'

export interface KubernetesServiceOptions {
  /** The first address of the first range. */
  readonly clusterIP: string
  /** Where the servers listen. */
  readonly port: number
}

/** How pods reach the API: a service without a selector, whose endpoints the servers themselves are. Left as it is when it is there. */
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
