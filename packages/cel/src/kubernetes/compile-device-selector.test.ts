import { describe, expect, it } from 'vitest'
import { estimateCost } from '../cost/estimate-cost.ts'
import { compileDeviceSelector, isTooComplex } from './compile-device-selector.ts'
import { getDeviceSize } from './device-environment.ts'
import { selectorAnswers } from './recorded-answers.fixture.ts'

describe('device selectors', () => {
  it.each(selectorAnswers.filter(({ problem }) => problem !== undefined))('rejects $text', ({ text, problem }) => {
    expect(compileDeviceSelector(text).problem).toBe(problem)
  })

  it.each(selectorAnswers.filter(({ cost }) => cost !== undefined))('estimates the cost of $text', ({ text, cost }) => {
    const { compiled, problem } = compileDeviceSelector(text)
    expect(compiled === undefined ? problem : String(estimateCost(compiled, getDeviceSize).max)).toBe(cost)
  })

  it('limits the cost of an expression', () => {
    expect(isTooComplex(compileDeviceSelector('device.attributes["a.com"].b == 1'))).toBe(false)
    expect(isTooComplex(compileDeviceSelector('lists.range(1000).all(x, lists.range(1000).all(y, x < y))'))).toBe(true)
  })
})
