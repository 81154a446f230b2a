import { describe, expect, test } from 'vitest'
import { createHistogram } from './histogram.ts'
import { createMetricsRegistry } from './metrics-registry.ts'
import type { Collector } from './metrics-registry.ts'
import { createSummary } from './summary.ts'
import { createCounter, createGauge, createSampledMetric, createSampledVector } from './value-vector.ts'

const readText = (collector: Collector): string => [...collector.collect()].join('')

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
    expect(readText(gauge)).toBe('# HELP objects Objects.\n# TYPE objects gauge\nobjects{resource="nodes"} 2\n')
  })

  test('prints cumulative buckets with inclusive bounds', () => {
    const histogram = createHistogram('seconds', 'Seconds.', [0.5, 1])
    const series = histogram.with({ verb: 'GET' })
    for (const value of [0.25, 0.5, 0.75, 3]) series.observe(value)
    expect(readText(histogram).split('\n').slice(2)).toEqual([
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
    expect(readText(histogram)).toContain(`le="${text}"}`)
  })

  test('reads sampled metrics at each scrape and omits absent values', () => {
    let sample: number | undefined = 1
    const metric = createSampledMetric('gauge', 'now', 'Now.', () => sample)
    expect(readText(metric)).toContain('\nnow 1\n')
    sample = undefined
    expect(readText(metric)).toBe('')
  })
})

test('reads sampled series at each scrape, and prints nothing without samples', () => {
  const samples: (readonly [Record<string, string>, number])[] = []
  const metric = createSampledVector('gauge', 'seats', 'Seats.', () => samples)
  expect(readText(metric)).toBe('')
  samples.push([{ level: 'b', flow: 'a' }, 2], [{ level: 'c' }, 3])
  expect(readText(metric)).toBe('# HELP seats Seats.\n# TYPE seats gauge\nseats{flow="a",level="b"} 2\nseats{level="c"} 3\n')
})

test('omits deleted series of a histogram', () => {
  const histogram = createHistogram('seconds', 'Seconds.', [1])
  histogram.with({ verb: 'GET' }).observe(1)
  histogram.delete({ verb: 'GET' })
  expect(readText(histogram)).toBe('')
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

describe('settings', () => {
  test('omits disabled metrics', () => {
    const registry = createMetricsRegistry({ disabled: ['a_total'] })
    registry.register(createCounter('a_total', '[ALPHA] A.')).with({}).value++
    registry.register(createCounter('b_total', '[ALPHA] B.')).with({}).value++
    expect(registry.text()).toBe('# HELP b_total [ALPHA] B.\n# TYPE b_total counter\nb_total 1\n')
  })

  test.each<[string, boolean]>([
    ['[STABLE] (Deprecated since 1.34.0) A.', true],
    ['[STABLE] (Deprecated since 1.33.0) A.', false],
    ['[BETA] (Deprecated since 1.36.0) A.', true],
    ['[BETA] (Deprecated since 1.35.0) A.', false],
    ['[ALPHA] (Deprecated since 1.36.0) A.', false],
    ['[ALPHA] (Deprecated since 1.37.0) A.', true],
  ])('hides metrics that were deprecated long ago: %s', (help, isShown) => {
    for (const showHidden of [false, true]) {
      const registry = createMetricsRegistry({ showHidden })
      registry.register(createCounter('a_total', help)).with({}).value++
      expect(registry.text() !== '').toBe(isShown || showHidden)
    }
  })

  test('replaces label values that are not allowed, in all types of metrics', () => {
    const allowed = ['GET', 'LIST']
    const names = ['a_total', 'b', 'c_seconds', 'd_seconds', 'e']
    const registry = createMetricsRegistry({
      allowedLabels: Object.fromEntries(names.map((name) => [`${name},verb`, allowed])),
      includesRegistryMetrics: true,
    })
    const counter = registry.register(createCounter('a_total', '[ALPHA] A.'))
    const gauge = registry.register(createGauge('b', '[ALPHA] B.'))
    const histogram = registry.register(createHistogram('c_seconds', '[ALPHA] C.', [1]))
    const summary = registry.register(createSummary('d_seconds', '[ALPHA] D.', 1000))
    registry.register(
      createSampledVector('gauge', 'e', '[ALPHA] E.', () => [
        [{ verb: 'PUT' }, 1],
        [{ verb: 'POST' }, 2],
      ]),
    )
    for (const verb of ['GET', 'PUT', 'POST']) {
      counter.with({ verb, code: '200' }).value++
      gauge.with({ verb }).value++
      histogram.with({ verb }).observe(2)
      summary.with({ verb }).observe(2, 0)
    }
    const text = registry.text()
    for (const line of [
      'a_total{code="200",verb="GET"} 1',
      'a_total{code="200",verb="unexpected"} 2',
      'b{verb="unexpected"} 2',
      'c_seconds_count{verb="unexpected"} 2',
      'd_seconds_count{verb="unexpected"} 2',
      'e{verb="unexpected"} 3',
    ])
      expect(text).toContain(`\n${line}\n`)
    expect(text).not.toMatch(/PUT|POST/)
    expect(registry.text()).toMatch(/\ncardinality_enforcement_unexpected_categorizations_total [1-9]/)
  })

  test('counts registered, hidden and disabled metrics', () => {
    const registry = createMetricsRegistry({ disabled: ['b', 'nosuch'], includesRegistryMetrics: true })
    registry.register(createGauge('a', '[STABLE] (Deprecated since 1.34.0) A.'))
    registry.register(createGauge('b', '[STABLE] B.'))
    registry.register(createGauge('c', '[ALPHA] (Deprecated since 1.20.0) C.'))
    registry.register(createGauge('d', 'A metric of the runtime.'))
    const text = registry.text()
    expect(text).toContain('registered_metrics_total{deprecated_version="1.34.0",stability_level="STABLE"} 1\n')
    expect(text).toContain('\nhidden_metrics_total 2\n')
    expect(text).toContain('\ndisabled_metrics_total 2\n')
  })

  test('prints a histogram under a second name', () => {
    const histogram = createHistogram('new_seconds', '[ALPHA] A.', [1])
    const registry = createMetricsRegistry({ showHidden: true })
    registry.register(histogram.alias('old_seconds', '[ALPHA] (Deprecated since 1.27.0) A.'))
    registry.register(histogram)
    histogram.with({}).observe(2)
    expect(registry.text()).toContain('\nold_seconds_bucket{le="+Inf"} 1\n')
    expect([...registry.text().matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name)).toEqual(['new_seconds', 'old_seconds'])
  })
})
