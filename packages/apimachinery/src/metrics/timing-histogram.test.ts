import { expect, test } from 'vitest'
import { createTimingHistogram } from './timing-histogram.ts'
import type { TimingHistogramVector } from './timing-histogram.ts'

let time = 0
const readTime = (): number => time
const readValues = (histogram: TimingHistogramVector): string[] => [...histogram.collect()].join('').trimEnd().split('\n').slice(2)

test('counts the nanoseconds of each ratio', () => {
  time = 5
  const histogram = createTimingHistogram('use', 'Use.', { bounds: [0, 0.5, 1], now: readTime })
  const ratio = histogram.with({ level: 'a' })
  ratio.setDenominator(4, 5)
  time = 8
  ratio.setNumerator(2, 8)
  ratio.setNumerator(2, 9)
  ratio.setNumerator(6, 10)
  ratio.setDenominator(6, 11)
  time = 15
  expect(readValues(histogram)).toEqual([
    'use_bucket{level="a",le="0"} 3000000',
    'use_bucket{level="a",le="0.5"} 5000000',
    'use_bucket{level="a",le="1"} 9000000',
    'use_bucket{level="a",le="+Inf"} 10000000',
    `use_sum{level="a"} ${(2 * 0.5 + 1.5 + 4) * 1e6}`,
    'use_count{level="a"} 10000000',
  ])
  expect(histogram.with({ level: 'a' })).toBe(ratio)
})

test('a reset keeps the ratio and starts to count again; deleted series are omitted', () => {
  time = 0
  const histogram = createTimingHistogram('use', 'Use.', { bounds: [0.5], now: readTime })
  const ratio = histogram.with({})
  ratio.setNumerator(1, 0)
  time = 10
  histogram.reset?.()
  time = 12
  expect(readValues(histogram)).toEqual(['use_bucket{le="0.5"} 0', 'use_bucket{le="+Inf"} 2000000', 'use_sum 2000000', 'use_count 2000000'])
  histogram.delete({})
  expect([...histogram.collect()]).toEqual([])
})

test('numerators that are large, negative or no integers count like small integers', () => {
  time = 0
  const histogram = createTimingHistogram('use', 'Use.', { bounds: [0, 0.5, 1], now: readTime })
  const ratio = histogram.with({})
  ratio.setDenominator(1000, 0)
  const numerators = [127, 128, 900, 0.5, -1, 2000, 127]
  for (const numerator of numerators) ratio.setNumerator(numerator, time++)
  ratio.setDenominator(100, time++)
  const sum = 127 + 128 + 900 + 0.5 - 1 + 2000 + 127
  expect(readValues(histogram)).toEqual([
    'use_bucket{le="0"} 1000000',
    'use_bucket{le="0.5"} 5000000',
    'use_bucket{le="1"} 6000000',
    'use_bucket{le="+Inf"} 8000000',
    `use_sum ${(sum / 1000 + 127 / 100) * 1e6}`,
    'use_count 8000000',
  ])
})
