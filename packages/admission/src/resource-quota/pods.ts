import { aggregateContainers } from '@keelson/api'
import type { Quantities } from '@keelson/api'
import type { Container, Pod, PodSpec } from '@keelson/api/core/v1'
import type { Clock, DeepReadonly, Quantity } from '@keelson/apimachinery'
import { addAmounts, amountsOf, one } from './amounts.ts'
import type { Evaluator } from './evaluator.ts'
import { isLimitedInTime, podInScope } from './pod-scopes.ts'

type ReadonlyPod = DeepReadonly<Pod>

const count = 'count/pods'
const native = ['cpu', 'memory', 'ephemeral-storage']
const limitedNames: ReadonlySet<string> = new Set([
  count,
  'pods',
  ...native.flatMap((name) => [name, `requests.${name}`, `limits.${name}`]),
])
/** Containers must say these where a quota has them. */
const mustBeSaid: ReadonlySet<string> = new Set(['cpu', 'memory'].flatMap((name) => [name, `requests.${name}`, `limits.${name}`]))

export function podEvaluator(clock: Clock): Evaluator {
  return {
    handles({ operation, subresource, object, oldObject }) {
      if (subresource === 'resize') return operation === 'UPDATE'
      if (subresource !== '') return false
      return operation === 'CREATE' || (operation === 'UPDATE' && isLimitedInTime(object as Pod) !== isLimitedInTime(oldObject as Pod))
    },
    matching: (name) => limitedNames.has(name) || /^(requests\.)?hugepages-/.test(name) || isExtendedRequest(name),
    inScope: (selector, object) => podInScope(selector, object),
    usage: (object) => podUsage(object, clock),
    complaint: (limited, object) => unsaid(limited, object),
  }
}

/** Pods that are over count as objects only. */
function podUsage(pod: ReadonlyPod, clock: Clock): Quantities {
  const counted = new Map([[count, one]])
  if (isOver(pod, clock)) return counted
  return addAmounts(counted, computeUsage(needs(pod, 'requests'), needs(pod, 'limits')))
}

/** Also one that ought to be gone by now: its node is lost, and others may want its place. */
function isOver({ metadata, status }: ReadonlyPod, clock: Clock): boolean {
  if (status?.phase === 'Failed' || status?.phase === 'Succeeded') return true
  const { deletionTimestamp, deletionGracePeriodSeconds } = metadata
  if (deletionTimestamp === undefined || deletionGracePeriodSeconds === undefined) return false
  return clock.now() > Date.parse(deletionTimestamp) + deletionGracePeriodSeconds * 1000
}

/** What the pod says of itself as a whole counts for more than its containers; its overhead comes on top. */
function needs({ spec }: ReadonlyPod, member: 'requests' | 'limits'): Quantities {
  if (spec === undefined) return new Map()
  const total = new Map(aggregateContainers(spec, member))
  for (const [name, amount] of amountsOf(spec.resources?.[member])) {
    if (name === 'cpu' || name === 'memory' || name.startsWith('hugepages-')) total.set(name, amount)
  }
  const overhead = [...amountsOf(spec.overhead)].filter(([name]) => member === 'requests' || total.get(name)?.isZero() === false)
  return addAmounts(total, new Map(overhead))
}

function computeUsage(requests: Quantities, limits: Quantities): Quantities {
  const used = new Map<string, Quantity>([['pods', one]])
  for (const [name, amount] of requests) {
    const isHuge = name.startsWith('hugepages-')
    if (native.includes(name) || isHuge) used.set(name, amount)
    if (native.includes(name) || isHuge || isExtendedRequest(`requests.${name}`)) used.set(`requests.${name}`, amount)
  }
  for (const [name, amount] of limits) if (native.includes(name)) used.set(`limits.${name}`, amount)
  return used
}

/** Devices and the like are never given to more than ask for them, so only what is requested is limited. */
function isExtendedRequest(name: string): boolean {
  if (!name.startsWith('requests.')) return false
  const isNative = !name.includes('/') || name.includes('kubernetes.io/')
  return !isNative || name.startsWith('requests.deviceclass.resource.kubernetes.io/')
}

function unsaid(limited: readonly string[], { spec }: ReadonlyPod): string | undefined {
  if (spec === undefined || saysAsAWhole(spec)) return undefined
  const required = limited.filter((name) => mustBeSaid.has(name)).toSorted()
  const all = [...(spec.containers ?? []), ...(spec.initContainers ?? [])]
  const missing = required.flatMap((name) => {
    const containers = all.filter((container) => !saidBy(container).has(name)).map((container) => container.name)
    return containers.length === 0 ? [] : [`${name} for: ${[...new Set(containers)].toSorted().join(',')}`]
  })
  return missing.length === 0 ? undefined : `must specify ${missing.join('; ')}`
}

function saysAsAWhole({ resources }: DeepReadonly<PodSpec>): boolean {
  return Object.keys(resources?.requests ?? {}).length > 0 || Object.keys(resources?.limits ?? {}).length > 0
}

function saidBy({ resources }: DeepReadonly<Container>): ReadonlySet<string> {
  return new Set(computeUsage(amountsOf(resources?.requests), amountsOf(resources?.limits)).keys())
}
