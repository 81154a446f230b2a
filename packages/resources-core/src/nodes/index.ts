import type { Node } from '@keelson/api/core/v1'
import { defineResource } from '@keelson/registry'
import type { ResourceDefinition } from '@keelson/registry'
import { roundUpToMilli } from '../pod-spec/resource-quantities.ts'
import { nodeColumns } from './columns.ts'
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

/** Sets `status.allocatable` to `status.capacity` if it is missing. */
export function setNodeDefaults({ status }: Node): void {
  if (status === undefined) return
  if (status.allocatable === undefined && status.capacity !== undefined) status.allocatable = { ...status.capacity }
  roundUpToMilli(status.capacity)
  roundUpToMilli(status.allocatable)
}

/** Makes `podCIDR` and the first of `podCIDRs` equal. If they differ, `podCIDR` wins. Mutates and returns its argument. */
export function normalizeNode(node: Node): Node {
  const { spec } = node
  if (spec === undefined) return node
  const first = spec.podCIDRs?.[0] ?? ''
  if (spec.podCIDR && spec.podCIDR !== first) spec.podCIDRs = [spec.podCIDR]
  else if (first !== '') spec.podCIDR = first
  return node
}
