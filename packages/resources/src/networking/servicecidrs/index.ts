import type { ServiceCIDR } from '@keelson/api/networking/v1'
import { withoutFields } from '@keelson/apimachinery/managed-fields'
import { defineResource, resetMetadataForStatus } from '@keelson/registry'
import type { ResourceDefinition } from '@keelson/registry'
import { keepMember } from '@keelson/resources-core'
import { validateServiceCIDR, validateServiceCIDRUpdate } from './validate.ts'

/** The definition of the CIDRs from which service addresses are allocated. */
export const serviceCIDRs: ResourceDefinition<ServiceCIDR> = defineResource<ServiceCIDR>({
  group: 'networking.k8s.io',
  version: 'v1',
  kind: 'ServiceCIDR',
  plural: 'servicecidrs',
  alsoServedAs: [{ group: 'networking.k8s.io', version: 'v1beta1', deprecated: { since: '1.34', gone: '1.37' } }],
  scope: 'Cluster',
  strategy: {
    resetFields: withoutFields('status'),
    repeatedMetadataChecks: 'update',
    prepareForCreate(_context, cidr) {
      cidr.status = {}
    },
    prepareForUpdate: (_context, cidr, old) => keepMember(cidr, old, 'status'),
    validateCreate: (_context, cidr) => validateServiceCIDR(cidr),
    validateUpdate: (_context, cidr, old) => validateServiceCIDRUpdate(cidr, old),
  },
  subresources: {
    status: {
      update: {
        resetFields: withoutFields('metadata', 'spec'),
        prepareForUpdate(_context, cidr, old) {
          keepMember(cidr, old, 'spec')
          resetMetadataForStatus(cidr.metadata, old.metadata)
        },
      },
    },
  },
  columns: [{ name: 'CIDRs', description: 'CIDRs of the range.', value: ({ spec }) => (spec?.cidrs ?? []).join(',') }],
})
