import type { PodDisruptionBudget } from '@keelson/api/policy/v1'

/** How a budget of policy/v1beta1 that selects nothing is told from one that selects everything, which v1 writes the same. */
const reserved = 'pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match'

/** No client may select by it beside other things; alone, it stands for an old budget that selects nothing. */
export function dropReservedLabel({ spec }: PodDisruptionBudget): void {
  const selector = spec?.selector
  const expressions = selector?.matchExpressions ?? []
  if (selector === undefined || !expressions.some(({ key }) => key === reserved)) return
  const alone = expressions.length === 1 && Object.keys(selector.matchLabels ?? {}).length === 0
  if (alone && expressions[0]?.operator === 'Exists' && (expressions[0].values ?? []).length === 0) return
  selector.matchExpressions = expressions.filter(({ key }) => key !== reserved)
}
