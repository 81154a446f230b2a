import type { Affinity, PodAffinityTerm } from '@keelson/api/core/v1'
import type { DeepReadonly } from '@keelson/apimachinery'

/**
 * Returns all pod affinity terms, followed by all pod anti-affinity terms. Within each group, preferred terms come before required terms.
 */
export function collectPodAffinityTerms(affinity: Affinity | undefined): PodAffinityTerm[] {
  const groups = [affinity?.podAffinity, affinity?.podAntiAffinity]
  return groups.flatMap((group) => {
    const preferred = (group?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(({ podAffinityTerm }) => podAffinityTerm)
    return preferred.concat(group?.requiredDuringSchedulingIgnoredDuringExecution ?? [])
  })
}

export function listPodAffinityTerms(affinity: DeepReadonly<Affinity> | undefined): readonly DeepReadonly<PodAffinityTerm>[] {
  return collectPodAffinityTerms(affinity as Affinity | undefined)
}
