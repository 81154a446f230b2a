import type { Pod, PodAffinityTerm } from '@keelson/api/core/v1'
import { parseQuantity } from '@keelson/apimachinery'
import type { DeepReadonly } from '@keelson/apimachinery'
import { selectsScope } from '@keelson/registry'
import type { ScopeSelector } from '@keelson/registry'

type ReadonlyPod = DeepReadonly<Pod>

export function matchesPodScope(selector: ScopeSelector, pod: ReadonlyPod): boolean {
  switch (selector.scopeName) {
    case 'Terminating':
      return hasActiveDeadline(pod)
    case 'NotTerminating':
      return !hasActiveDeadline(pod)
    case 'BestEffort':
      return isBestEffort(pod)
    case 'NotBestEffort':
      return !isBestEffort(pod)
    case 'PriorityClass':
      return selectsScope(selector, pod.spec?.priorityClassName || undefined)
    case 'CrossNamespacePodAffinity':
      return hasCrossNamespaceAffinity(pod)
    default:
      return false
  }
}

/** Returns whether the pod has `activeDeadlineSeconds`. Such pods belong to the quota scope "Terminating". */
export function hasActiveDeadline({ spec }: ReadonlyPod): boolean {
  return (spec?.activeDeadlineSeconds ?? -1) >= 0
}

function isBestEffort({ spec, status }: ReadonlyPod): boolean {
  if (status?.qosClass !== undefined && status.qosClass !== '') return status.qosClass === 'BestEffort'
  const allResources = [
    spec?.resources,
    ...[...(spec?.containers ?? []), ...(spec?.initContainers ?? [])].map(({ resources }) => resources),
  ]
  const amounts = allResources
    .flatMap((resources) => [resources?.requests, resources?.limits])
    .flatMap((list) => [list?.['cpu'], list?.['memory']])
  return amounts.every((amount) => amount === undefined || parseQuantity(amount).isZero())
}

function hasCrossNamespaceAffinity({ spec }: ReadonlyPod): boolean {
  return [spec?.affinity?.podAffinity, spec?.affinity?.podAntiAffinity].some(
    (affinity) =>
      (affinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []).some(isCrossNamespace) ||
      (affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).some(({ podAffinityTerm }) => isCrossNamespace(podAffinityTerm)),
  )
}

function isCrossNamespace({ namespaces = [], namespaceSelector }: DeepReadonly<PodAffinityTerm>): boolean {
  return namespaces.length > 0 || namespaceSelector !== undefined
}
