import { aggregateContainers } from '@keelson/api'
import type { Container, LimitRange, LimitRangeItem, PersistentVolumeClaim, Pod, PodSpec } from '@keelson/api/core/v1'
import { parseQuantities, parseQuantity } from '@keelson/apimachinery'
import type { DeepReadonly, Quantities } from '@keelson/apimachinery'
import { checkMaximum, checkRatio, checkMinimum, checkRequestMaximum } from './constraints.ts'
import type { Bound, Usage } from './constraints.ts'

type Item = DeepReadonly<LimitRangeItem>
type Check = (bound: Bound) => string | undefined

/** Returns a message for each limit of a LimitRange that a pod or one of its containers violates. */
export function findPodViolations(range: DeepReadonly<LimitRange>, pod: Pod): string[] {
  const spec: PodSpec = pod.spec ?? { containers: null }
  return (range.spec?.limits ?? []).flatMap((item) => {
    if (item.type === 'Pod') return findUsageViolations(item, computePodUsage(spec))
    if (item.type !== 'Container') return []
    return [...(spec.containers ?? []), ...(spec.initContainers ?? [])].flatMap((container) =>
      findUsageViolations(item, readContainerUsage(container)),
    )
  })
}

export function findClaimViolations(range: DeepReadonly<LimitRange>, claim: PersistentVolumeClaim): string[] {
  const requests = parseQuantities(claim.spec?.resources?.requests)
  return (range.spec?.limits ?? []).flatMap((item) => {
    if (item.type !== 'PersistentVolumeClaim') return []
    const belowRequest = findViolations(item, item.min, (bound) => checkMinimum(bound, { requests, limits: new Map() }))
    return belowRequest.concat(findViolations(item, item.max, (bound) => checkRequestMaximum(bound, requests)))
  })
}

function findUsageViolations(item: Item, usage: Usage): string[] {
  return [
    ...findViolations(item, item.min, (bound) => checkMinimum(bound, usage)),
    ...findViolations(item, item.max, (bound) => checkMaximum(bound, usage)),
    ...findViolations(item, item.maxLimitRequestRatio, (bound) => checkRatio(bound, usage)),
  ]
}

function findViolations({ type }: Item, bounds: Readonly<Record<string, string>> | undefined, check: Check): string[] {
  return Object.entries(bounds ?? {}).flatMap(([resource, text]) => check({ type, resource, value: parseQuantity(text) }) ?? [])
}

function readContainerUsage({ resources }: Container): Usage {
  return { requests: parseQuantities(resources?.requests), limits: parseQuantities(resources?.limits) }
}

/** Returns the resource usage of a pod. Pod-level resources replace the sum of its containers. */
function computePodUsage(spec: PodSpec): Usage {
  const sumQuantities = (member: 'requests' | 'limits'): Quantities => {
    const sums = new Map(aggregateContainers(spec, member))
    for (const [name, quantity] of parseQuantities(spec.resources?.[member]))
      if (name === 'cpu' || name === 'memory') sums.set(name, quantity)
    return sums
  }
  return { requests: sumQuantities('requests'), limits: sumQuantities('limits') }
}
