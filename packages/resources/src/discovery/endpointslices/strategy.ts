import type { EndpointSlice } from '@keelson/api/discovery/v1'
import { newFieldPath, equalsSemantically, nameIsDNSSubdomain } from '@keelson/apimachinery'
import type { DeepReadonly } from '@keelson/apimachinery'
import type { Strategy } from '@keelson/registry'
import { findIPWarnings } from '@keelson/resources-core'
import { validateEndpointSlice, validateEndpointSliceUpdate } from './validate.ts'

type ReadonlySlice = DeepReadonly<EndpointSlice>

const hostname = 'kubernetes.io/hostname'
const managedBy = 'endpointslice.kubernetes.io/managed-by'
/** Controllers that write canonical addresses. Their slices get no warnings about addresses. */
const controllers: ReadonlySet<string> = new Set(['endpointslice-controller.k8s.io', 'endpointslicemirroring-controller.k8s.io'])

export const endpointSliceStrategy: Strategy<EndpointSlice> = {
  repeatedMetadataChecks: 'create',
  prepareForCreate(_context, slice) {
    slice.metadata.generation = 1
    dropTopology(slice)
  },
  prepareForUpdate(_context, slice, old) {
    if (isChanged(slice, old)) slice.metadata.generation = (old.metadata.generation ?? 0) + 1
    dropTopology(slice, old)
  },
  validateCreate: (_context, slice) => validateEndpointSlice(slice),
  warningsOnCreate: (_context, slice) => [
    ...(slice.addressType === 'FQDN' ? ['spec.addressType: FQDN endpoints are deprecated'] : []),
    ...findAddressWarnings(slice),
  ],
  validateUpdate: (_context, slice, old) => validateEndpointSliceUpdate(slice, old),
  warningsOnUpdate: (_context, slice) => findAddressWarnings(slice),
}

/** Returns whether an update must increment the generation. Changes of labels count, because labels link the slice to its service. */
function isChanged({ metadata, ...slice }: EndpointSlice, { metadata: oldMetadata, ...old }: ReadonlySlice): boolean {
  return !equalsSemantically(slice, old) || !equalsSemantically(metadata.labels ?? {}, oldMetadata.labels ?? {})
}

/** Drops `deprecatedTopology`, which only older servers stored. Its hostname becomes `nodeName` if `old` also had it. */
function dropTopology(slice: EndpointSlice, old?: ReadonlySlice): void {
  if (old !== undefined && equalsSemantically(old.endpoints, slice.endpoints)) return
  const oldHostnames = new Set((old?.endpoints ?? []).flatMap(({ deprecatedTopology }) => deprecatedTopology?.[hostname] || []))
  for (const endpoint of slice.endpoints ?? []) {
    const name = endpoint.deprecatedTopology?.[hostname]
    if (endpoint.nodeName === undefined && name !== undefined && oldHostnames.has(name) && nameIsDNSSubdomain(name, false).length === 0) {
      endpoint.nodeName = name
    }
    delete endpoint.deprecatedTopology
  }
}

function findAddressWarnings({ metadata, endpoints }: ReadonlySlice): string[] {
  if (controllers.has(metadata.labels?.[managedBy] ?? '')) return []
  return (endpoints ?? []).flatMap(({ addresses }, i) =>
    (addresses ?? []).flatMap((address, j) => findIPWarnings(address, newFieldPath('endpoints').index(i).child('addresses').index(j))),
  )
}
