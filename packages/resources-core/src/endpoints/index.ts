import type { Endpoints } from '@keelson/api/core/v1'
import { defineResource } from '@keelson/registry'
import type { ResourceDefinition } from '@keelson/registry'
import { formatEndpoints } from './columns.ts'
import { setEndpointsDefaults } from './defaults.ts'
import { validateEndpoints } from './validate.ts'
import { findEndpointsWarnings } from './warnings.ts'

export const endpoints: ResourceDefinition<Endpoints> = defineResource<Endpoints>({
  group: '',
  version: 'v1',
  kind: 'Endpoints',
  plural: 'endpoints',
  storage: { prefix: 'services/endpoints' },
  scope: 'Namespaced',
  shortNames: ['ep'],
  deprecation: 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice',
  setDefaults: setEndpointsDefaults,
  strategy: {
    allowCreateOnUpdate: true,
    validateCreate: (_context, object) => validateEndpoints(object),
    validateUpdate: (_context, object, old) => validateEndpoints(object, old),
    warningsOnCreate: (_context, object) => findEndpointsWarnings(object),
    warningsOnUpdate: (_context, object) => findEndpointsWarnings(object),
  },
  columns: [{ name: 'Endpoints', description: 'First addresses and ports.', value: formatEndpoints }],
})
