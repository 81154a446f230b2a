import { expect, it } from 'vitest'
import { compareVersions } from './names.ts'

it('orders versions by stability and number, and puts other names last', () => {
  const sorted = ['v10', 'v2', 'v1', 'v12beta1', 'v3beta2', 'v3beta1', 'v1alpha2', 'v1alpha1', 'foo1', 'foo10', 'v1gamma1']
  expect(sorted.toReversed().sort(compareVersions)).toEqual(sorted)
})
