import type { Service, ServiceSpec, ServiceStatus } from '@keelson/api/core/v1'
import { copyObject } from '@keelson/registry'
import type { Strategy, SubresourceStrategy } from '@keelson/registry'
import { dropDependentFields } from './drop-dependent-fields.ts'
import { validateServiceStatus } from './validate-load-balancer.ts'
import { validateServiceUpdate } from './validate-update.ts'
import { validateService } from './validate.ts'
import { serviceWarnings, statusWarnings } from './warnings.ts'

export const serviceStrategy: Strategy<Service> = {
  allowCreateOnUpdate: true,
  repeatedMetadataChecks: 'update',
  prepareForCreate(_context, service) {
    service.status = { loadBalancer: {} }
  },
  validateCreate: (_context, service) => validateService(service),
  warningsOnCreate: (_context, service) => serviceWarnings(service),
  prepareForUpdate(_context, service, old) {
    if (old.status === undefined) delete service.status
    else service.status = copyObject(old.status) as ServiceStatus
    dropDependentFields(service, old)
  },
  validateUpdate: (_context, service, old) => validateServiceUpdate(service, old),
  warningsOnUpdate: (_context, service) => serviceWarnings(service),
  canonicalize: dropUnusedPolicy,
}

export const serviceStatus: SubresourceStrategy<Service> = {
  update: {
    prepareForUpdate(_context, service, old) {
      if (old.spec === undefined) delete service.spec
      else service.spec = copyObject(old.spec) as ServiceSpec
    },
    validateUpdate: (_context, service, old) => validateServiceStatus(service, old),
    warningsOnUpdate: (_context, service) => statusWarnings(service),
    canonicalize: dropUnusedPolicy,
  },
}

/** A mere name has no traffic of its own. The original stores the policy and hides it from every reader. */
function dropUnusedPolicy({ spec }: Service): void {
  if (spec?.type === 'ExternalName') delete spec.internalTrafficPolicy
}
