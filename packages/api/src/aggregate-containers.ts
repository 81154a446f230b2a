import { parseQuantities } from '@keelson/apimachinery'
import type { DeepReadonly, Quantities, Quantity } from '@keelson/apimachinery'
import type { PodSpec } from './generated/core/v1/types.ts'

/**
 * Returns the maximum resources that a pod needs at any time. This is the greater of two amounts for each resource: the sum of all containers and
 * sidecars, or an init container with the sidecars that were started before it.
 */
export function aggregateContainers(spec: DeepReadonly<PodSpec>, member: 'requests' | 'limits'): Quantities {
  const total = new Map<string, Quantity>()
  const sidecars = new Map<string, Quantity>()
  const init = new Map<string, Quantity>()
  for (const container of spec.containers ?? []) add(total, parseQuantities(container.resources?.[member]))
  for (const container of spec.initContainers ?? []) {
    const needs = parseQuantities(container.resources?.[member])
    if (container.restartPolicy === 'Always') {
      add(total, needs)
      add(sidecars, needs)
      raise(init, sidecars)
    } else {
      const combined = new Map(needs)
      add(combined, sidecars)
      raise(init, combined)
    }
  }
  raise(total, init)
  return total
}

function add(total: Map<string, Quantity>, more: Quantities): void {
  for (const [name, quantity] of more) total.set(name, total.get(name)?.add(quantity) ?? quantity)
}

function raise(highest: Map<string, Quantity>, candidate: Quantities): void {
  for (const [name, quantity] of candidate) {
    const current = highest.get(name)
    if (current === undefined || quantity.compare(current) > 0) highest.set(name, quantity)
  }
}
