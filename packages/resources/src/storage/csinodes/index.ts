import type { CSINode } from '@keelson/api/storage/v1'
import { defineResource } from '@keelson/registry'
import type { ResourceDefinition } from '@keelson/registry'
import { validateCSINode, validateCSINodeUpdate } from './validate.ts'

/** The definition of CSI nodes: the CSI drivers on the node of the same name. */
export const csiNodes: ResourceDefinition<CSINode> = defineResource<CSINode>({
  group: 'storage.k8s.io',
  version: 'v1',
  kind: 'CSINode',
  plural: 'csinodes',
  scope: 'Cluster',
  returnsDeletedObject: true,
  strategy: {
    repeatedMetadataChecks: 'create',
    allowUnconditionalUpdate: false,
    validateCreate: (_context, node) => validateCSINode(node),
    validateUpdate: (_context, node, old) => validateCSINodeUpdate(node, old),
  },
  columns: [{ name: 'Drivers', type: 'integer', description: 'Number of drivers.', value: ({ spec }) => (spec.drivers ?? []).length }],
})
