import type { PodDisruptionBudget } from '@keelson/api/policy/v1'
import type { RequestContext } from '@keelson/apimachinery'
import { formatFieldError } from '@keelson/apimachinery'
import { createTableConvertor } from '@keelson/registry'
import { describe, expect, it } from 'vitest'
import { podDisruptionBudgets } from './index.ts'

const context = {} as RequestContext
const { strategy, setDefaults } = podDisruptionBudgets
const createBudget = (spec: PodDisruptionBudget['spec'] = {}): PodDisruptionBudget => ({ metadata: { name: 'a' }, spec })
const reserved = { key: 'pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match', operator: 'Exists' }

describe('pod disruption budgets', () => {
  it('keeps the reserved v1beta1 label if it is the only requirement', () => {
    const createDefaultedBudget = (selector: NonNullable<PodDisruptionBudget['spec']>['selector'] & object): unknown => {
      const object = createBudget({ selector })
      setDefaults?.(object)
      return object.spec?.selector
    }
    expect(createDefaultedBudget({ matchExpressions: [reserved] })).toEqual({ matchExpressions: [reserved] })
    expect(createDefaultedBudget({ matchLabels: { a: 'b' }, matchExpressions: [reserved] })).toEqual({
      matchLabels: { a: 'b' },
      matchExpressions: [],
    })
  })

  it('counts changes of the spec in the generation', () => {
    const updated = createBudget({ minAvailable: 2 })
    const old: PodDisruptionBudget = { ...createBudget({ minAvailable: 1 }), metadata: { name: 'a', generation: 1 } }
    strategy.prepareForUpdate?.(context, updated, old)
    expect(updated.metadata.generation).toBe(2)
  })

  it('rejects minAvailable together with maxUnavailable', () => {
    const errors = strategy.validateCreate?.(context, createBudget({ minAvailable: 1, maxUnavailable: '5' })) ?? []
    expect(errors.map(formatFieldError)).toEqual([
      'spec: Invalid value: {"MinAvailable":1,"Selector":null,"MaxUnavailable":"5","UnhealthyPodEvictionPolicy":null}: minAvailable and maxUnavailable cannot be both set',
      expect.stringMatching(/^spec.maxUnavailable: Invalid value: "5": a valid percent string must be/),
    ])
  })

  it('rejects negative counts in the status', () => {
    const counts = { disruptionsAllowed: -1, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 }
    const errors = podDisruptionBudgets.subresources?.['status']?.update.validateUpdate?.(
      context,
      { ...createBudget(), status: counts },
      createBudget(),
    )
    expect(errors?.map(({ field }) => field)).toEqual(['status.disruptionsAllowed'])
  })

  it('prints the limits as columns', () => {
    expect(createTableConvertor(podDisruptionBudgets).createCells(createBudget({ minAvailable: 0 }), 0)).toEqual([
      'a',
      '0',
      'N/A',
      0,
      '<unknown>',
    ])
  })
})
