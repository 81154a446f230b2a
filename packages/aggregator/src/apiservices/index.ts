import type { APIService } from '@keelson/api/apiregistration/v1'
import { apiregistrationV1 } from '@keelson/api/apiregistration/v1'
import { copyObject, isPathSegmentName, systemClock } from '@keelson/apimachinery'
import type { DeepReadonly } from '@keelson/apimachinery'
import { withoutFields } from '@keelson/apimachinery/managed-fields'
import { defineApiGroup, defineResource } from '@keelson/registry'
import type { ApiGroup, ResourceDefinition } from '@keelson/registry'
import { findAvailable, localAvailability, setAvailable } from './conditions.ts'
import { validateApiService, validateApiServiceStatus } from './validate.ts'

/** Metadata that an update of the status does not change. */
const fixedMetadata = ['labels', 'annotations', 'finalizers', 'ownerReferences'] as const

const apiServices: ResourceDefinition<APIService> = defineResource<APIService>({
  group: 'apiregistration.k8s.io',
  version: 'v1',
  kind: 'APIService',
  plural: 'apiservices',
  scope: 'Cluster',
  categories: ['api-extensions'],
  setDefaults({ spec }) {
    if (spec?.service !== undefined) spec.service.port ??= 443
  },
  // The name of the core group's APIService is "v1.". That names consist of version and group is checked with the spec.
  validateName: isPathSegmentName,
  strategy: {
    allowUnconditionalUpdate: false,
    resetFields: withoutFields('status'),
    prepareForCreate({ now = systemClock.now }, apiService) {
      apiService.status = {}
      if (apiService.spec?.service === undefined) setAvailable(apiService, localAvailability, now())
    },
    prepareForUpdate(_context, apiService, old) {
      apiService.status = copyObject(old.status ?? {}) as NonNullable<APIService['status']>
    },
    validateCreate: (_context, apiService) => validateApiService(apiService),
    validateUpdate: (_context, apiService) => validateApiService(apiService),
  },
  subresources: {
    status: {
      update: {
        resetFields: withoutFields('spec', 'metadata'),
        prepareForUpdate(_context, apiService, old) {
          const { spec, metadata } = copyObject(old) as APIService
          if (spec === undefined) delete apiService.spec
          else apiService.spec = spec
          for (const member of fixedMetadata) {
            delete apiService.metadata[member]
            if (metadata[member] !== undefined) Object.assign(apiService.metadata, { [member]: metadata[member] })
          }
        },
        validateUpdate: (_context, apiService) => validateApiServiceStatus(apiService),
      },
    },
  },
  columns: [
    {
      name: 'Service',
      description: 'The reference to the service that hosts this API endpoint.',
      value: ({ spec }) => (spec?.service === undefined ? 'Local' : `${spec.service.namespace ?? ''}/${spec.service.name ?? ''}`),
    },
    { name: 'Available', description: 'Whether this service is available.', value: formatAvailable },
  ],
  storage: { prefix: 'apiregistration.k8s.io/apiservices' },
})

function formatAvailable(apiService: DeepReadonly<APIService>): string {
  const { status = 'Unknown', reason = '' } = findAvailable(apiService) ?? {}
  return status === 'True' || reason === '' ? status : `${status} (${reason})`
}

/** The resource that stores APIServices. */
export const apiServicesResource = { group: 'apiregistration.k8s.io', resource: 'apiservices' } as const

/** The group apiregistration.k8s.io, which stores APIServices. */
export const apiregistrationGroup: ApiGroup = defineApiGroup({
  name: 'apiregistration.k8s.io',
  // Higher than the maximum of an APIService, so that discovery lists this group first.
  priority: 20_001,
  types: [apiregistrationV1],
  resources: [apiServices],
})
