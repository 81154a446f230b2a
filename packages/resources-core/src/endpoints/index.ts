import type { Endpoints } from '@keelson/api/core/v1'
import { newFieldPath } from '@keelson/apimachinery'
import type { DeepReadonly } from '@keelson/apimachinery'
import { defineResource } from '@keelson/registry'
import type { ResourceDefinition } from '@keelson/registry'
import { findIPWarnings } from '../ip-address.ts'
import { validateEndpoints } from './validate.ts'

const maxShown = 3

/** Formats endpoints like "10.0.0.1:80,10.0.0.2:80,10.0.0.3:80 + 4 more...". */
export function formatEndpoints({ subsets = [] }: DeepReadonly<Endpoints>): string {
  if (subsets.length === 0) return '<none>'
  const addressTexts = subsets.flatMap(({ addresses = [], ports = [] }) =>
    ports.length === 0
      ? addresses.map(({ ip }) => ip)
      : ports.flatMap(({ port }) => addresses.map(({ ip }) => `${ip.includes(':') ? `[${ip}]` : ip}:${port}`)),
  )
  const text = addressTexts.slice(0, maxShown).join(',')
  return addressTexts.length > maxShown ? `${text} + ${addressTexts.length - maxShown} more...` : text
}

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

/**
 * Returns warnings about addresses that are not canonical. Returns no warnings for objects of the endpoints controller, which writes
 * canonical addresses.
 */
export function findEndpointsWarnings({ metadata, subsets = [] }: DeepReadonly<Endpoints>): readonly string[] {
  if (metadata.labels?.['endpoints.kubernetes.io/managed-by'] === 'endpoint-controller') return []
  return subsets.flatMap((subset, i) =>
    (['addresses', 'notReadyAddresses'] as const).flatMap((member) =>
      (subset[member] ?? []).flatMap(({ ip }, j) =>
        findIPWarnings(ip, newFieldPath('subsets').index(i).child(member).index(j).child('ip')),
      ),
    ),
  )
}

function setEndpointsDefaults({ subsets = [] }: Endpoints): void {
  for (const { ports = [] } of subsets) for (const port of ports) port.protocol ||= 'TCP'
}
