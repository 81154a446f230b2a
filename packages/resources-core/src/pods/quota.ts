import { aggregateContainers } from '@keelson/api'
import type { Container, Pod, PodSpec } from '@keelson/api/core/v1'
import { addQuantities, parseQuantities } from '@keelson/apimachinery'
import type { DeepReadonly, Quantities, Quantity } from '@keelson/apimachinery'
import { oneObject } from '@keelson/registry'
import type { QuotaRules } from '@keelson/registry'
import { hasActiveDeadline, matchesPodScope } from './quota-scopes.ts'

type ReadonlyPod = DeepReadonly<Pod>

const count = 'count/pods'
const native = ['cpu', 'memory', 'ephemeral-storage']
const limitedNames: ReadonlySet<string> = new Set([
  count,
  'pods',
  ...native.flatMap((name) => [name, `requests.${name}`, `limits.${name}`]),
])
/** Resources that every container must specify if a quota limits them. */
const requiredIfLimited: ReadonlySet<string> = new Set(['cpu', 'memory'].flatMap((name) => [name, `requests.${name}`, `limits.${name}`]))

export const podQuota: QuotaRules<Pod> = {
  isCharged({ operation, subresource, object, oldObject }) {
    if (subresource === 'resize') return operation === 'UPDATE'
    if (subresource !== '') return false
    return operation === 'CREATE' || (operation === 'UPDATE' && hasActiveDeadline(object!) !== hasActiveDeadline(oldObject!))
  },
  isLimitedBy: (limit) => limitedNames.has(limit) || /^(requests\.)?hugepages-/.test(limit) || isExtendedRequest(limit),
  isInScope: matchesPodScope,
  computeUsage: computePodUsage,
  describeMissingLimit: describeMissingResources,
}

/** Computes how much of a quota a pod uses. A finished pod uses only the object count. */
function computePodUsage(pod: ReadonlyPod, now: number): Quantities {
  const counted = new Map([[count, oneObject]])
  if (isFinished(pod, now)) return counted
  return addQuantities(counted, computeUsage(sumPodTotals(pod, 'requests'), sumPodTotals(pod, 'limits')))
}

/**
 * Returns whether a pod no longer uses resources: it has terminated, or its deletion grace period is over. The second happens if its node
 * is lost.
 */
function isFinished({ metadata, status }: ReadonlyPod, now: number): boolean {
  if (status?.phase === 'Failed' || status?.phase === 'Succeeded') return true
  const { deletionTimestamp, deletionGracePeriodSeconds } = metadata
  if (deletionTimestamp === undefined || deletionGracePeriodSeconds === undefined) return false
  return now > Date.parse(deletionTimestamp) + deletionGracePeriodSeconds * 1000
}

/** Returns the total requests or limits of a pod, including its overhead. Pod-level resources override the resources of containers. */
function sumPodTotals({ spec }: ReadonlyPod, member: 'requests' | 'limits'): Quantities {
  if (spec === undefined) return new Map()
  const total = new Map(aggregateContainers(spec, member))
  for (const [name, amount] of parseQuantities(spec.resources?.[member])) {
    if (name === 'cpu' || name === 'memory' || name.startsWith('hugepages-')) total.set(name, amount)
  }
  const overhead = [...parseQuantities(spec.overhead)].filter(([name]) => member === 'requests' || total.get(name)?.isZero() === false)
  return addQuantities(total, new Map(overhead))
}

function computeUsage(requests: Quantities, limits: Quantities): Quantities {
  const used = new Map<string, Quantity>([['pods', oneObject]])
  for (const [name, amount] of requests) {
    const isHuge = name.startsWith('hugepages-')
    if (native.includes(name) || isHuge) used.set(name, amount)
    if (native.includes(name) || isHuge || isExtendedRequest(`requests.${name}`)) used.set(`requests.${name}`, amount)
  }
  for (const [name, amount] of limits) if (native.includes(name)) used.set(`limits.${name}`, amount)
  return used
}

/**
 * Returns whether a quota name is the request of an extended resource. Extended resources cannot be overcommitted, so quotas only restrict
 * their requests.
 */
function isExtendedRequest(name: string): boolean {
  if (!name.startsWith('requests.')) return false
  const isNative = !name.includes('/') || name.includes('kubernetes.io/')
  return !isNative || name.startsWith('requests.deviceclass.resource.kubernetes.io/')
}

function describeMissingResources(limited: readonly string[], { spec }: ReadonlyPod): string | undefined {
  if (spec === undefined || isSetOnPod(spec)) return undefined
  const required = limited.filter((name) => requiredIfLimited.has(name)).toSorted()
  const allContainers = [...(spec.containers ?? []), ...(spec.initContainers ?? [])]
  const missing = required.flatMap((name) => {
    const containers = allContainers.filter((container) => !listSpecifiedResources(container).has(name)).map((container) => container.name)
    return containers.length === 0 ? [] : [`${name} for: ${[...new Set(containers)].toSorted().join(',')}`]
  })
  return missing.length === 0 ? undefined : `must specify ${missing.join('; ')}`
}

function isSetOnPod({ resources }: DeepReadonly<PodSpec>): boolean {
  return Object.keys(resources?.requests ?? {}).length > 0 || Object.keys(resources?.limits ?? {}).length > 0
}

function listSpecifiedResources({ resources }: DeepReadonly<Container>): ReadonlySet<string> {
  return new Set(computeUsage(parseQuantities(resources?.requests), parseQuantities(resources?.limits)).keys())
}
