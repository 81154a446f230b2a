import { labelText, formatMetricHeader } from './metric-text.ts'
import type { LabelConstraint, LabelValues } from './metric-text.ts'
import type { Collector } from './metrics-registry.ts'
import { SeriesMap } from './series-map.ts'

/** One time series of a counter or gauge. */
export interface Value {
  value: number
}

export interface ValueVector extends Collector {
  /** Returns the series of these labels. The result is always the same object, which callers on a fast path should keep. */
  with(labels: LabelValues): Value
  delete(labels: LabelValues): void
}

function createValueVector(type: 'counter' | 'gauge', name: string, help: string): ValueVector & { values(): Iterable<Value> } {
  const series = new SeriesMap<Value>(() => ({ value: 0 }))
  return {
    name,
    help,
    constrainLabels: (constraint) => series.constrain(constraint),
    with: (labels) => series.with(labels),
    values: () => series.values(),
    delete: (labels) => series.delete(labels),
    *collect() {
      if (series.size === 0) return
      yield formatMetricHeader(name, help, type)
      for (const [labels, { value }] of series) yield formatSample(name, labels, value)
    },
  }
}

function formatSample(name: string, labels: string, value: number): string {
  return labels === '' ? `${name} ${value}\n` : `${name}{${labels}} ${value}\n`
}

export function createCounter(name: string, help: string): ValueVector {
  const counter = createValueVector('counter', name, help)
  const reset = (): void => {
    for (const each of counter.values()) each.value = 0
  }
  return { ...counter, reset }
}

export function createGauge(name: string, help: string): ValueVector {
  return createValueVector('gauge', name, help)
}

/** Creates a metric with several series whose labels and values are read by `sample` at each scrape. */
export function createSampledVector(
  type: 'counter' | 'gauge',
  name: string,
  help: string,
  sample: () => Iterable<readonly [labels: LabelValues, value: number]>,
): Collector {
  let constrain: LabelConstraint | undefined
  return {
    name,
    help,
    constrainLabels: (constraint) => void (constrain = constraint),
    *collect() {
      const sums = new Map<string, number>()
      for (const [labels, value] of sample()) {
        const key = labelText(constrain === undefined ? labels : constrain(labels))
        sums.set(key, (sums.get(key) ?? 0) + value)
      }
      if (sums.size === 0) return
      yield formatMetricHeader(name, help, type)
      for (const [labels, value] of sums) yield formatSample(name, labels, value)
    },
  }
}

/** Creates a metric without labels whose value is read by `sample` at each scrape. */
export function createSampledMetric(type: 'counter' | 'gauge', name: string, help: string, sample: () => number | undefined): Collector {
  return createSampledVector(type, name, help, () => {
    const value = sample()
    return value === undefined ? [] : [[{}, value]]
  })
}

/**
 * Returns a function that creates a value on its first call and returns the same value afterwards. Used for metric series that should appear only
 * after their first observation.
 */
export function memoize<V>(create: () => V): () => V {
  let value: V | undefined
  return () => (value ??= create())
}
