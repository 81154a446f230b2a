import { type Quantity, parseQuantity } from '@keelson/apimachinery'
import type { Pod, ResourceRequirements } from '@keelson/api/core/v1'
import type { DeepReadonly } from '@keelson/apimachinery'

export type QosClass = 'BestEffort' | 'Burstable' | 'Guaranteed'

const countedResources = ['cpu', 'memory'] as const

/**
 * Returns the QoS class of a pod. A pod is Guaranteed if all containers limit CPU and memory and the total requests equal the total limits.
 * A pod without requests and limits is BestEffort. Other pods are Burstable.
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

/** Adds the CPU and memory quantities of a list to the totals. Returns how many of these quantities are positive. */
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
