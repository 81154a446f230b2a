import { describe, expect, test } from 'vitest'
import { createHistogram } from './histogram.ts'
import { createMetricsRegistry } from './metrics-registry.ts'
import { createCounter, createGauge, createSampledMetric, createSampledVector } from './value-vector.ts'

describe('metrics', () => {
  test('prints each header once, and sorts and escapes labels', () => {
    const registry = createMetricsRegistry()
    const counter = registry.register(createCounter('requests_total', 'Requests\nof \\ all.'))
    counter.with({ verb: 'GET', code: '200' }).value++
    counter.with({ code: '200', verb: 'GET' }).value++
    counter.with({ verb: 'a"b\\c\nd', code: '0' }).value++
    expect(registry.text()).toBe(
      '# HELP requests_total Requests\\nof \\\\ all.\n# TYPE requests_total counter\n' +
        'requests_total{code="200",verb="GET"} 2\nrequests_total{code="0",verb="a\\"b\\\\c\\nd"} 1\n',
    )
  })

  test('prints nothing for a metric without series, and no braces without labels', () => {
    const registry = createMetricsRegistry()
    const gauge = registry.register(createGauge('size', 'Size.'))
    expect(registry.text()).toBe('')
    gauge.with({}).value = -1
    expect(registry.text()).toBe('# HELP size Size.\n# TYPE size gauge\nsize -1\n')
  })

  test('omits deleted series', () => {
    const gauge = createGauge('objects', 'Objects.')
    gauge.with({ resource: 'pods' }).value = 1
    gauge.with({ resource: 'nodes' }).value = 2
    gauge.delete({ resource: 'pods' })
    expect(gauge.collect()).toBe('# HELP objects Objects.\n# TYPE objects gauge\nobjects{resource="nodes"} 2\n')
  })

  test('prints cumulative buckets with inclusive bounds', () => {
    const histogram = createHistogram('seconds', 'Seconds.', [0.5, 1])
    const series = histogram.with({ verb: 'GET' })
    for (const value of [0.25, 0.5, 0.75, 3]) series.observe(value)
    expect(histogram.collect().split('\n').slice(2)).toEqual([
      'seconds_bucket{verb="GET",le="0.5"} 2',
      'seconds_bucket{verb="GET",le="1"} 3',
      'seconds_bucket{verb="GET",le="+Inf"} 4',
      'seconds_sum{verb="GET"} 4.5',
      'seconds_count{verb="GET"} 4',
      '',
    ])
    expect(histogram.with({ verb: 'GET' })).toBe(series)
  })

  test.each([
    [0, '0'],
    [0.005, '0.005'],
    [0.0001, '0.0001'],
    [0.00001, '1e-05'],
    [9.999999999999999e-6, '9.999999999999999e-06'],
    [604_800, '604800'],
    [1e6, '1e+06'],
    [2_592_000, '2.592e+06'],
  ])('formats the bound %d like Go', (bound, text) => {
    const histogram = createHistogram('sizes', 'Sizes.', [bound])
    histogram.with({}).observe(0)
    expect(histogram.collect()).toContain(`le="${text}"}`)
  })

  test('reads sampled metrics at each scrape and omits absent values', () => {
    let sample: number | undefined = 1
    const metric = createSampledMetric('gauge', 'now', 'Now.', () => sample)
    expect(metric.collect()).toContain('\nnow 1\n')
    sample = undefined
    expect(metric.collect()).toBe('')
  })
})

test('reads sampled series at each scrape, and prints nothing without samples', () => {
  const samples: (readonly [Record<string, string>, number])[] = []
  const metric = createSampledVector('gauge', 'seats', 'Seats.', () => samples)
  expect(metric.collect()).toBe('')
  samples.push([{ level: 'b', flow: 'a' }, 2], [{ level: 'c' }, 3])
  expect(metric.collect()).toBe('# HELP seats Seats.\n# TYPE seats gauge\nseats{flow="a",level="b"} 2\nseats{level="c"} 3\n')
})

test('omits deleted series of a histogram', () => {
  const histogram = createHistogram('seconds', 'Seconds.', [1])
  histogram.with({ verb: 'GET' }).observe(1)
  histogram.delete({ verb: 'GET' })
  expect(histogram.collect()).toBe('')
})

describe('reset', () => {
  test('resets the counts of existing series, but keeps current values', () => {
    const registry = createMetricsRegistry()
    const count = registry.register(createCounter('requests_total', 'Requests.')).with({})
    const present = registry.register(createGauge('in_flight', 'In flight.')).with({})
    const seconds = registry.register(createHistogram('seconds', 'Seconds.', [1])).with({})
    count.value = present.value = 3
    seconds.observe(2)
    registry.reset()
    count.value++
    seconds.observe(0.5)
    const text = registry.text()
    for (const line of ['requests_total 1', 'in_flight 3', 'seconds_bucket{le="+Inf"} 1', 'seconds_sum 0.5'])
      expect(text).toContain(`\n${line}\n`)
  })
})
