import type { Service } from '@keelson/api/core/v1'
import { nameIsDNSLabel } from '@keelson/apimachinery'
import { defineResource } from '@keelson/registry'
import type { ResourceDefinition } from '@keelson/registry'
import { serviceColumns } from './columns.ts'
import { setServiceDefaults } from './defaults.ts'
import { serviceQuota } from './quota.ts'
import { getSpec } from './service-facts.ts'
import { serviceStatus, serviceStrategy } from './strategy.ts'

/** `createServiceHooks` allocates addresses and node ports; without it, services are stored with the values that clients send. */
export const services: ResourceDefinition<Service> = defineResource<Service>({
  group: '',
  version: 'v1',
  kind: 'Service',
  plural: 'services',
  storage: { prefix: 'services/specs' },
  scope: 'Namespaced',
  shortNames: ['svc'],
  categories: ['all'],
  returnsDeletedObject: true,
  quota: serviceQuota,
  setDefaults: setServiceDefaults,
  strategy: serviceStrategy,
  validateName: nameIsDNSLabel,
  selectableFields: {
    'spec.clusterIP': (service) => getSpec(service).clusterIP ?? '',
    'spec.type': (service) => getSpec(service).type ?? '',
  },
  columns: serviceColumns,
  subresources: { status: serviceStatus },
})
