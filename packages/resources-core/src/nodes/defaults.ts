import type { Node } from '@keelson/api/core/v1'
import { roundUpToMilli } from '../pod-spec/resource-quantities.ts'

/** What is not said to be kept back can be given to pods. */
export function setNodeDefaults({ status }: Node): void {
  if (status === undefined) return
  if (status.allocatable === undefined && status.capacity !== undefined) status.allocatable = { ...status.capacity }
  roundUpToMilli(status.capacity)
  roundUpToMilli(status.allocatable)
}

/** `podCIDR` is the first of `podCIDRs`. A client that knows only the former decides. In place. */
export function normalizeNode(node: Node): Node {
  const { spec } = node
  if (spec === undefined) return node
  const first = spec.podCIDRs?.[0] ?? ''
  if (spec.podCIDR && spec.podCIDR !== first) spec.podCIDRs = [spec.podCIDR]
  else if (first !== '') spec.podCIDR = first
  return node
}
