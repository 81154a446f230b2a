import { formatBound, formatMetricHeader } from './metric-text.ts'
import type { LabelValues } from './metric-text.ts'
import type { Collector } from './metrics-registry.ts'
import { SeriesMap } from './series-map.ts'

export interface Histogram {
  observe(value: number): void
}

export interface HistogramVector extends Collector {
  with(labels: LabelValues): Histogram
  delete(labels: LabelValues): void
  /** Returns a collector of the same series under another name. */
  alias(name: string, help: string): Collector
}

/** Creates a histogram. `bounds` are the upper bounds of its buckets in ascending order. The bucket `+Inf` is added. */
export function createHistogram(name: string, help: string, bounds: readonly number[]): HistogramVector {
  const series = new SeriesMap(() => new MeasuredHistogram(bounds))
  function* collectAs(familyName: string, familyHelp: string): Iterable<string> {
    if (series.size === 0) return
    yield formatMetricHeader(familyName, familyHelp, 'histogram')
    const names = [...bounds.map(formatBound), '+Inf']
    for (const [labels, { counts, sum }] of series) {
      const before = labels === '' ? '' : `${labels},`
      const braces = labels === '' ? '' : `{${labels}}`
      let text = ''
      let total = 0
      for (let i = 0; i < counts.length; i++) {
        total += counts[i]!
        text += `${familyName}_bucket{${before}le="${names[i]}"} ${total}\n`
      }
      yield `${text}${familyName}_sum${braces} ${sum}\n${familyName}_count${braces} ${total}\n`
    }
  }
  return {
    name,
    help,
    constrainLabels: (constraint) => series.constrain(constraint),
    reset: () => {
      for (const each of series.values()) {
        each.counts.fill(0)
        each.sum = 0
      }
    },
    delete: (labels) => series.delete(labels),
    with: (labels) => series.with(labels),
    collect: () => collectAs(name, help),
    alias: (aliasName, aliasHelp) => ({ name: aliasName, help: aliasHelp, collect: () => collectAs(aliasName, aliasHelp) }),
  }
}

/** A class, because the methods of one class are inlined where they are called. Requests observe about ten histograms each. */
class MeasuredHistogram implements Histogram {
  readonly #bounds: readonly number[]
  readonly counts: Float64Array
  sum = 0

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds
    this.counts = new Float64Array(bounds.length + 1)
  }

  observe(value: number): void {
    const bounds = this.#bounds
    let i = 0
    while (i < bounds.length && value > bounds[i]!) i++
    this.counts[i]!++
    this.sum += value
  }
}
