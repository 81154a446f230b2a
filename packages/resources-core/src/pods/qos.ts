import { type Quantity, parseQuantity } from '@keelson/apimachinery'
import type { Pod, ResourceRequirements } from '@keelson/api/core/v1'
import type { DeepReadonly } from '@keelson/apimachinery'

export type QosClass = 'BestEffort' | 'Burstable' | 'Guaranteed'

const countedResources = ['cpu', 'memory'] as const

/**
 * Returns the QoS class of a pod. Guaranteed: all containers limit CPU and memory, and total requests equal total limits. BestEffort: there
 * are no requests and no limits.
 */
export function computeQosClass(pod: DeepReadonly<Pod>): QosClass {
  const spec = pod.spec
  const sources: DeepReadonly<ResourceRequirements>[] =
    spec?.resources !== undefined
      ? [spec.resources]
      : [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])].map((container) => container.resources ?? {})
  const requests = new Map<string, Quantity>()
  const limits = new Map<string, Quantity>()
  let isGuaranteed = true
  for (const source of sources) {
    addToTotals(requests, source.requests)
    if (spec?.resources !== undefined && source.limits === undefined) continue
    if (addToTotals(limits, source.limits) < countedResources.length) isGuaranteed = false
  }
  if (requests.size === 0 && limits.size === 0) return 'BestEffort'
  if (!isGuaranteed || requests.size !== limits.size) return 'Burstable'
  for (const [name, request] of requests) if (limits.get(name)?.compare(request) !== 0) return 'Burstable'
  return 'Guaranteed'
}

/** Adds the quantities to the totals. Returns the number of counted resources with a positive quantity. */
function addToTotals(total: Map<string, Quantity>, list: Readonly<Record<string, string>> | undefined): number {
  let positive = 0
  for (const name of countedResources) {
    const text = list?.[name]
    if (text === undefined) continue
    const quantity = parseQuantity(text)
    if (quantity.sign() <= 0) continue
    positive += 1
    total.set(name, total.get(name)?.add(quantity) ?? quantity)
  }
  return positive
}
