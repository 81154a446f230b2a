import type { Node } from '@keelson/api/core/v1'
import { defineResource } from '@keelson/registry'
import type { ResourceDefinition } from '@keelson/registry'
import { nodeColumns } from './columns.ts'
import { normalizeNode, setNodeDefaults } from './defaults.ts'
import { nodeStatus, nodeStrategy } from './strategy.ts'

export const nodes: ResourceDefinition<Node> = defineResource<Node>({
  group: '',
  version: 'v1',
  kind: 'Node',
  plural: 'nodes',
  storage: { prefix: 'minions' },
  scope: 'Cluster',
  shortNames: ['no'],
  setDefaults: setNodeDefaults,
  normalize: normalizeNode,
  strategy: nodeStrategy,
  selectableFields: { 'spec.unschedulable': (node) => String(node.spec?.unschedulable ?? false) },
  allColumns: nodeColumns,
  subresources: { status: nodeStatus },
})
