import type { CSIStorageCapacity } from '@keelson/api/storage/v1'
import { newFieldPath } from '@keelson/apimachinery'
import type { DeepReadonly } from '@keelson/apimachinery'
import { defineResource } from '@keelson/registry'
import type { ResourceDefinition } from '@keelson/registry'
import { findNodeLabelSelectorWarnings } from '@keelson/resources-core'
import { validateCSIStorageCapacity, validateCSIStorageCapacityUpdate } from './validate.ts'

export const csiStorageCapacities: ResourceDefinition<CSIStorageCapacity> = defineResource<CSIStorageCapacity>({
  group: 'storage.k8s.io',
  version: 'v1',
  kind: 'CSIStorageCapacity',
  plural: 'csistoragecapacities',
  scope: 'Namespaced',
  strategy: {
    allowUnconditionalUpdate: false,
    validateCreate: (_context, capacity) => validateCSIStorageCapacity(capacity),
    warningsOnCreate: (_context, capacity) => findTopologyWarnings(capacity),
    validateUpdate: (_context, capacity, old) => validateCSIStorageCapacityUpdate(capacity, old),
    warningsOnUpdate: (_context, capacity) => findTopologyWarnings(capacity),
  },
})

function findTopologyWarnings({ nodeTopology }: DeepReadonly<CSIStorageCapacity>): string[] {
  return nodeTopology === undefined ? [] : findNodeLabelSelectorWarnings(nodeTopology, newFieldPath('nodeTopology'))
}
