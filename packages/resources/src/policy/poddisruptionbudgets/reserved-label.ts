import type { PodDisruptionBudget } from '@keelson/api/policy/v1'

/** Marks budgets from policy/v1beta1 with an empty selector, which matched nothing there but matches every pod in v1. */
const reservedKey = 'pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match'

/** Removes the reserved key from selectors that have other requirements. As the only requirement it marks a v1beta1 budget and stays. */
export function dropReservedLabel({ spec }: PodDisruptionBudget): void {
  const selector = spec?.selector
  const expressions = selector?.matchExpressions ?? []
  if (selector === undefined || !expressions.some(({ key }) => key === reservedKey)) return
  const isOnlyRequirement = expressions.length === 1 && Object.keys(selector.matchLabels ?? {}).length === 0
  if (isOnlyRequirement && expressions[0]?.operator === 'Exists' && (expressions[0].values ?? []).length === 0) return
  selector.matchExpressions = expressions.filter(({ key }) => key !== reservedKey)
}
