import { newFieldPath } from '@keelson/apimachinery'
import { describe, expect, it } from 'vitest'
import { validateSelectors } from './selectors.ts'

function validateSelectorToMessages(expression: string): readonly string[] {
  return validateSelectors([{ cel: { expression } }], newFieldPath('selectors'), undefined).map(
    ({ field, detail }) => `${field}: ${detail}`,
  )
}

describe('device selectors', () => {
  it.each([
    'device.driver == "gpu.example.com"',
    'device.attributes["gpu.example.com"].healthy',
    'device.capacity["gpu.example.com"].memory.compareTo(quantity("1Gi")) >= 0',
    'cel.bind(gpu, device.attributes["gpu.example.com"], gpu.model.startsWith("A") && semver("1.0.0").isLessThan(gpu.version))',
  ])('accepts %s', (expression) => {
    expect(validateSelectorToMessages(expression)).toEqual([])
  })

  it.each([
    ['device.driver', 'must evaluate to bool or the unknown type, not string'],
    ['device.model == 1', "compilation failed: ERROR: <input>:1:7: undefined field 'model'\n | device.model == 1\n | ......^"],
    ['lists.range(2000).exists(x, lists.range(2000).exists(y, x == y))', 'too complex, exceeds cost limit'],
  ])('rejects %s', (expression, detail) => {
    expect(validateSelectorToMessages(expression)).toEqual([`selectors[0].cel.expression: ${detail}`])
  })
})
