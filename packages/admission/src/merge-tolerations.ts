import type { Toleration } from '@keelson/api/core/v1'
import { equalsSemantically } from '@keelson/apimachinery'
import type { DeepReadonly } from '@keelson/apimachinery'

/** Merges two lists of tolerations. Drops tolerations that another one covers. Of equal tolerations, keeps the first. */
export function mergeTolerations(first: readonly DeepReadonly<Toleration>[], second: readonly DeepReadonly<Toleration>[]): Toleration[] {
  const tolerations = [...first, ...second]
  const merged: Toleration[] = []
  for (const [i, toleration] of tolerations.entries()) {
    const isCovered =
      merged.some((mergedToleration) => covers(mergedToleration, toleration)) ||
      tolerations.slice(i + 1).some((later) => !equalsSemantically(later, toleration) && covers(later, toleration))
    if (!isCovered) merged.push({ ...toleration })
  }
  return merged
}

/** Returns whether `wider` tolerates every taint that `other` tolerates. */
export function covers(wider: DeepReadonly<Toleration>, other: DeepReadonly<Toleration>): boolean {
  if (equalsSemantically(wider, other)) return true
  const anyKey = !wider.key && wider.operator === 'Exists'
  if ((other.key ?? '') !== (wider.key ?? '') && !anyKey) return false
  if (wider.effect && other.effect !== wider.effect) return false
  if (wider.effect === 'NoExecute' && wider.tolerationSeconds !== undefined) {
    if (other.tolerationSeconds === undefined || other.tolerationSeconds > wider.tolerationSeconds) return false
  }
  if (wider.operator === 'Exists') return true
  if (wider.operator !== 'Equal' && wider.operator) return false
  return other.operator === 'Equal' && (other.value ?? '') === (wider.value ?? '')
}
