import { head, labelText } from './metrics-registry.ts'
import type { Collector, LabelValues } from './metrics-registry.ts'

/** One time series of a counter or gauge. */
export interface Value {
  value: number
}

export interface ValueVector extends Collector {
  /** The same object for the same labels: keep it where speed matters. */
  with(labels: LabelValues): Value
}

function createValueVector(type: 'counter' | 'gauge', name: string, help: string): ValueVector {
  const series = new Map<string, Value>()
  return {
    with: (labels) => {
      const key = labelText(labels)
      let value = series.get(key)
      if (value === undefined) series.set(key, (value = { value: 0 }))
      return value
    },
    collect: () => {
      if (series.size === 0) return ''
      let text = head(name, help, type)
      for (const [labels, { value }] of series) text += labels === '' ? `${name} ${value}\n` : `${name}{${labels}} ${value}\n`
      return text
    },
  }
}

export function createCounter(name: string, help: string): ValueVector {
  return createValueVector('counter', name, help)
}

export function createGauge(name: string, help: string): ValueVector {
  return createValueVector('gauge', name, help)
}

/** Values that are read at the moment of the scrape. */
export function createSampledMetric(type: 'counter' | 'gauge', name: string, help: string, sample: () => number | undefined): Collector {
  return {
    collect: () => {
      const value = sample()
      return value === undefined ? '' : `${head(name, help, type)}${name} ${value}\n`
    },
  }
}

export interface Histogram {
  observe(value: number): void
}

export interface HistogramVector extends Collector {
  with(labels: LabelValues): Histogram
}

/** `bounds` ascend; the one for everything (`+Inf`) is added. */
export function createHistogram(name: string, help: string, bounds: readonly number[]): HistogramVector {
  const series = new Map<string, { counts: Float64Array; sum: number; histogram: Histogram }>()
  return {
    with: (labels) => {
      const key = labelText(labels)
      let entry = series.get(key)
      if (entry === undefined) {
        const counts = new Float64Array(bounds.length + 1)
        const made = { counts, sum: 0, histogram: { observe } }
        function observe(value: number): void {
          let i = 0
          while (i < bounds.length && value > bounds[i]!) i++
          counts[i]!++
          made.sum += value
        }
        series.set(key, (entry = made))
      }
      return entry.histogram
    },
    collect: () => {
      if (series.size === 0) return ''
      let text = head(name, help, 'histogram')
      for (const [labels, { counts, sum }] of series) {
        const before = labels === '' ? '' : `${labels},`
        const own = labels === '' ? '' : `{${labels}}`
        let total = 0
        for (let i = 0; i < counts.length; i++) {
          total += counts[i]!
          text += `${name}_bucket{${before}le="${i < bounds.length ? bounds[i] : '+Inf'}"} ${total}\n`
        }
        text += `${name}_sum${own} ${sum}\n${name}_count${own} ${total}\n`
      }
      return text
    },
  }
}
