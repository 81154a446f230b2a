import { type Quantity, parseQuantity } from '@keelson/apimachinery'
import type { Pod, ResourceRequirements } from '@keelson/api/core/v1'
import type { DeepReadonly } from '@keelson/apimachinery'

export type QosClass = 'BestEffort' | 'Burstable' | 'Guaranteed'

const counted = ['cpu', 'memory'] as const

/** Guaranteed: every container limits cpu and memory, and the sums of requests equal those of limits. BestEffort: nothing is asked for at all. */
export function qosClass(pod: DeepReadonly<Pod>): QosClass {
  const spec = pod.spec
  const sources: DeepReadonly<ResourceRequirements>[] =
    spec?.resources !== undefined
      ? [spec.resources]
      : [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])].map((container) => container.resources ?? {})
  const requests = new Map<string, Quantity>()
  const limits = new Map<string, Quantity>()
  let guaranteed = true
  for (const source of sources) {
    add(requests, source.requests)
    if (spec?.resources !== undefined && source.limits === undefined) continue
    if (add(limits, source.limits) < counted.length) guaranteed = false
  }
  if (requests.size === 0 && limits.size === 0) return 'BestEffort'
  if (!guaranteed || requests.size !== limits.size) return 'Burstable'
  for (const [name, request] of requests) if (limits.get(name)?.compare(request) !== 0) return 'Burstable'
  return 'Guaranteed'
}

/** How many of the counted resources are above zero in this list. */
function add(total: Map<string, Quantity>, list: Readonly<Record<string, string>> | undefined): number {
  let found = 0
  for (const name of counted) {
    const text = list?.[name]
    if (text === undefined) continue
    const quantity = parseQuantity(text)
    if (quantity.sign() <= 0) continue
    found += 1
    total.set(name, total.get(name)?.add(quantity) ?? quantity)
  }
  return found
}
