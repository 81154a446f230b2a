import type { Ingress } from '@keelson/api/networking/v1'
import { defineResource } from '@keelson/registry'
import type { ResourceDefinition } from '@keelson/registry'
import { ingressColumns } from './columns.ts'
import { ingressStatus, ingressStrategy } from './strategy.ts'

export const ingresses: ResourceDefinition<Ingress> = defineResource<Ingress>({
  group: 'networking.k8s.io',
  version: 'v1',
  kind: 'Ingress',
  plural: 'ingresses',
  storage: { prefix: 'ingress' },
  scope: 'Namespaced',
  shortNames: ['ing'],
  strategy: ingressStrategy,
  subresources: { status: ingressStatus },
  columns: ingressColumns,
})
