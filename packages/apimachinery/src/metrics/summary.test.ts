import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { createSummary } from './summary.ts'
import type { SummaryVector } from './summary.ts'

const readText = (collector: SummaryVector): string => [...collector.collect()].join('')
const splitSamples = (text: string): string[] => text.trimEnd().split('\n').slice(2)
const readValue = (text: string, quantile: string): number => Number(new RegExp(`quantile="${quantile}"\\} (\\S+)`).exec(text)?.[1])

test('prints quantiles, sum and count with labels', () => {
  const summary = createSummary('seconds', 'Seconds.', 5000, () => 0)
  const series = summary.with({ type: 'admit' })
  expect(splitSamples(readText(summary))[0]).toBe('seconds{type="admit",quantile="0.5"} NaN')
  series.observe(0.25, 0)
  const text = readText(summary)
  expect(text).toMatch(/^# HELP seconds Seconds\.\n# TYPE seconds summary\n/)
  expect(splitSamples(text).map((line) => line.split(' ')[0])).toEqual([
    'seconds{type="admit",quantile="0.5"}',
    'seconds{type="admit",quantile="0.9"}',
    'seconds{type="admit",quantile="0.99"}',
    'seconds_sum{type="admit"}',
    'seconds_count{type="admit"}',
  ])
  expect(splitSamples(text).slice(3)).toEqual(['seconds_sum{type="admit"} 0.25', 'seconds_count{type="admit"} 1'])
})

test('estimates quantiles within 2 %', () => {
  const times = fc.array(fc.double({ min: 1e-6, max: 100, noNaN: true }), { minLength: 1, maxLength: 200 })
  fc.assert(
    fc.property(times, (values) => {
      const summary = createSummary('seconds', 'Seconds.', 5000, () => 0)
      for (const value of values) summary.with({}).observe(value, 0)
      const text = readText(summary)
      const sorted = values.toSorted((a, b) => a - b)
      for (const quantile of [0.5, 0.9, 0.99]) {
        const exact = sorted[Math.ceil(quantile * sorted.length) - 1]!
        expect(Math.abs(readValue(text, String(quantile)) / exact - 1)).toBeLessThan(0.021)
      }
    }),
  )
})

test('drops old observations from quantiles but not from sum and count', () => {
  let now = 0
  const summary = createSummary('seconds', 'Seconds.', 5000, () => now)
  summary.with({}).observe(1, 0)
  summary.with({}).observe(0.001, 3000)
  now = 4900
  expect(readValue(readText(summary), '0.99')).toBeCloseTo(1, 1)
  now = 5100
  expect(readValue(readText(summary), '0.99')).toBeCloseTo(0.001, 4)
  now = 50_000
  expect(readValue(readText(summary), '0.99')).toBeNaN()
  expect(splitSamples(readText(summary)).at(-1)).toBe('seconds_count 2')
})
