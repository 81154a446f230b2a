import type { PodDisruptionBudget } from '@keelson/api/policy/v1'
import { isPathSegmentName, equalsSemantically } from '@keelson/apimachinery'
import { withoutFields } from '@keelson/apimachinery/managed-fields'
import { defineResource } from '@keelson/registry'
import type { ResourceDefinition } from '@keelson/registry'
import { keepMember } from '@keelson/resources-core'
import { validateBudget, validateBudgetStatus, validateBudgetUpdate } from './validate.ts'

export const podDisruptionBudgets: ResourceDefinition<PodDisruptionBudget> = defineResource<PodDisruptionBudget>({
  group: 'policy',
  version: 'v1',
  kind: 'PodDisruptionBudget',
  plural: 'poddisruptionbudgets',
  scope: 'Namespaced',
  shortNames: ['pdb'],
  // Like in kube-apiserver, names of this kind only need to be valid path segments.
  validateName: isPathSegmentName,
  setDefaults: dropReservedLabel,
  strategy: {
    resetFields: withoutFields('status'),
    repeatedMetadataChecks: 'none',
    allowUnconditionalUpdate: false,
    prepareForCreate(_context, budget) {
      budget.metadata.generation = 1
      budget.status = { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 }
    },
    prepareForUpdate(_context, budget, old) {
      keepMember(budget, old, 'status')
      if (!equalsSemantically(budget.spec ?? {}, old.spec ?? {})) budget.metadata.generation = (old.metadata.generation ?? 0) + 1
    },
    validateCreate: (_context, budget) => validateBudget(budget),
    validateUpdate: (_context, budget, old) => validateBudgetUpdate(budget, old),
  },
  subresources: {
    status: {
      update: {
        resetFields: withoutFields('spec'),
        prepareForUpdate: (_context, budget, old) => keepMember(budget, old, 'spec'),
        validateUpdate: (_context, budget) => validateBudgetStatus(budget),
      },
    },
  },
  columns: [
    {
      name: 'Min Available',
      description: 'Number or share of pods that must stay available.',
      value: ({ spec }) => String(spec?.minAvailable ?? 'N/A'),
    },
    {
      name: 'Max Unavailable',
      description: 'Number or share of pods that may be unavailable.',
      value: ({ spec }) => String(spec?.maxUnavailable ?? 'N/A'),
    },
    {
      name: 'Allowed Disruptions',
      type: 'integer',
      description: 'Number of pods that may be evicted now.',
      value: ({ status }) => status?.disruptionsAllowed ?? 0,
    },
  ],
})

/** Label key that marks budgets from policy/v1beta1 with an empty selector. It matches no pod in v1beta1, but every pod in v1. */
const reservedKey = 'pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match'

/**
 * Removes the reserved key from a selector with other requirements. A selector with only this key marks a budget from v1beta1 and is kept.
 */
function dropReservedLabel({ spec }: PodDisruptionBudget): void {
  const selector = spec?.selector
  const expressions = selector?.matchExpressions ?? []
  if (selector === undefined || !expressions.some(({ key }) => key === reservedKey)) return
  const isOnlyRequirement = expressions.length === 1 && Object.keys(selector.matchLabels ?? {}).length === 0
  if (isOnlyRequirement && expressions[0]?.operator === 'Exists' && (expressions[0].values ?? []).length === 0) return
  selector.matchExpressions = expressions.filter(({ key }) => key !== reservedKey)
}
