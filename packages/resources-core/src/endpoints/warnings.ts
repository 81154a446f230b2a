import type { Endpoints } from '@keelson/api/core/v1'
import { fieldPath } from '@keelson/apimachinery'
import type { DeepReadonly } from '@keelson/apimachinery'
import { findIPWarnings } from '../ip-address.ts'

/** Warns about non-canonical addresses, except in objects of the endpoints controller, which canonicalizes them itself. */
export function findEndpointsWarnings({ metadata, subsets = [] }: DeepReadonly<Endpoints>): readonly string[] {
  if (metadata.labels?.['endpoints.kubernetes.io/managed-by'] === 'endpoint-controller') return []
  return subsets.flatMap((subset, i) =>
    (['addresses', 'notReadyAddresses'] as const).flatMap((member) =>
      (subset[member] ?? []).flatMap(({ ip }, j) => findIPWarnings(ip, fieldPath('subsets').index(i).child(member).index(j).child('ip'))),
    ),
  )
}
