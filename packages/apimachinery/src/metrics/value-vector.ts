import { labelText, formatMetricHeader } from './metric-text.ts'
import type { LabelValues } from './metric-text.ts'
import type { Collector } from './metrics-registry.ts'

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
  const series = new Map<string, Value>()
  return {
    with: (labels) => {
      const key = labelText(labels)
      let value = series.get(key)
      if (value === undefined) series.set(key, (value = { value: 0 }))
      return value
    },
    values: () => series.values(),
    delete: (labels) => void series.delete(labelText(labels)),
    collect: () => {
      if (series.size === 0) return ''
      let text = formatMetricHeader(name, help, type)
      for (const [labels, { value }] of series) text += labels === '' ? `${name} ${value}\n` : `${name}{${labels}} ${value}\n`
      return text
    },
  }
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

/** Creates a metric whose value is read by `sample` at each scrape. */
export function createSampledMetric(type: 'counter' | 'gauge', name: string, help: string, sample: () => number | undefined): Collector {
  return {
    collect: () => {
      const value = sample()
      return value === undefined ? '' : `${formatMetricHeader(name, help, type)}${name} ${value}\n`
    },
  }
}

/** Creates a metric with several series whose labels and values are read by `sample` at each scrape. */
export function createSampledVector(
  type: 'counter' | 'gauge',
  name: string,
  help: string,
  sample: () => Iterable<readonly [labels: LabelValues, value: number]>,
): Collector {
  return {
    collect: () => {
      let lines = ''
      for (const [labels, value] of sample()) lines += `${name}{${labelText(labels)}} ${value}\n`
      return lines === '' ? '' : formatMetricHeader(name, help, type) + lines
    },
  }
}

/**
 * Returns a function that creates a value on its first call and returns the same value afterwards. Used for metric series that should appear only
 * after their first observation.
 */
export function memoize<V>(create: () => V): () => V {
  let value: V | undefined
  return () => (value ??= create())
}
