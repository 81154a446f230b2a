import { describe, expect, it } from 'vitest'
import { featureDependencies } from './feature-gate-dependencies.ts'
import { featureGates } from './feature-gate-table.ts'
import { readFeatureGates } from './feature-gates.ts'

const read = (set: Readonly<Record<string, boolean>>, notes: string[] = []) => readFeatureGates(set, (text) => notes.push(text))

describe('feature gates', () => {
  it("feature gates have kube-apiserver's defaults", () => {
    expect(read({}).isEnabled('CBORServingAndStorage')).toBe(false)
    expect(read({}).isEnabled('APIServerIdentity')).toBe(true)
    expect(read({ CBORServingAndStorage: true }).isEnabled('CBORServingAndStorage')).toBe(true)
    expect(read({ AllAlpha: true, CBORServingAndStorage: false }).isEnabled('CBORServingAndStorage')).toBe(false)
  })

  it.each<[Readonly<Record<string, boolean>>, string]>([
    [{ Unheard: true }, 'unrecognized feature gate: Unheard'],
    [{ DynamicResourceAllocation: false }, 'cannot set feature gate DynamicResourceAllocation to false, feature is locked to true'],
    [
      { GangScheduling: true, GenericWorkload: false },
      'GangScheduling is enabled, but depends on features that are disabled: [GenericWorkload]',
    ],
  ])('rejects %j', (set, message) => {
    expect(() => read(set)).toThrow(message)
  })

  it('reports feature gates without effect', () => {
    const notes: string[] = []
    read({ CBORServingAndStorage: true, GenericWorkload: true, APIServerIdentity: true }, notes)
    expect(notes).toEqual(['feature gate GenericWorkload=true has no effect in this server'])
  })

  it('feature gates depend only on existing feature gates', () => {
    for (const [feature, needs] of featureDependencies)
      for (const name of [feature, ...needs]) expect(featureGates.has(name), name).toBe(true)
  })
})
