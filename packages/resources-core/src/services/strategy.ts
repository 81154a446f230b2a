import type { Service } from '@keelson/api/core/v1'
import { withoutFields } from '@keelson/apimachinery/managed-fields'
import type { Strategy, SubresourceStrategy } from '@keelson/registry'
import { keepMember } from '../keep-member.ts'
import { dropDependentFields } from './drop-dependent-fields.ts'
import { validateServiceStatus } from './validate-load-balancer.ts'
import { validateServiceUpdate } from './validate-update.ts'
import { validateService } from './validate.ts'
import { findServiceWarnings, findStatusWarnings } from './warnings.ts'

export const serviceStrategy: Strategy<Service> = {
  resetFields: withoutFields('status'),
  allowCreateOnUpdate: true,
  repeatedMetadataChecks: 'update',
  prepareForCreate(_context, service) {
    service.status = { loadBalancer: {} }
  },
  validateCreate: (_context, service) => validateService(service),
  warningsOnCreate: (_context, service) => findServiceWarnings(service),
  prepareForUpdate(_context, service, old) {
    keepMember(service, old, 'status')
    dropDependentFields(service, old)
  },
  validateUpdate: (_context, service, old) => validateServiceUpdate(service, old),
  warningsOnUpdate: (_context, service) => findServiceWarnings(service),
  canonicalize: dropUnusedPolicy,
  prepareForExport: ({ spec }, exact) => {
    if (spec === undefined || exact) return
    if (spec.clusterIP !== 'None') {
      delete spec.clusterIP
      delete spec.clusterIPs
    }
    delete spec.healthCheckNodePort
    for (const port of spec.ports ?? []) delete port.nodePort
  },
}

export const serviceStatus: SubresourceStrategy<Service> = {
  // A PUT of a missing service creates it. Like in kube-apiserver, such a service gets no addresses.
  allowCreateOnUpdate: true,
  update: {
    resetFields: withoutFields('spec'),
    prepareForUpdate: (_context, service, old) => keepMember(service, old, 'spec'),
    validateUpdate: (_context, service, old) => validateServiceStatus(service, old),
    warningsOnUpdate: (_context, service) => findStatusWarnings(service),
    canonicalize: dropUnusedPolicy,
  },
}

/**
 * Drops the internal traffic policy of an ExternalName service, which has no traffic. kube-apiserver stores the policy, but omits it from
 * responses.
 */
function dropUnusedPolicy({ spec }: Service): void {
  if (spec?.type === 'ExternalName') delete spec.internalTrafficPolicy
}
