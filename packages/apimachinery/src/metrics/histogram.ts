import { formatBound, labelText, formatMetricHeader } from './metric-text.ts'
import type { LabelConstraint, LabelValues } from './metric-text.ts'
import type { Collector } from './metrics-registry.ts'

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
  const series = new Map<string, { counts: Float64Array; sum: number; histogram: Histogram }>()
  let constrain: LabelConstraint | undefined
  const formatKey = (labels: LabelValues): string => labelText(constrain === undefined ? labels : constrain(labels))
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
    constrainLabels: (constraint) => void (constrain = constraint),
    reset: () => {
      for (const each of series.values()) {
        each.counts.fill(0)
        each.sum = 0
      }
    },
    // A series of unexpected label values is kept, because other labels share it.
    delete: (labels) => void series.delete(labelText(labels)),
    with: (labels) => {
      const key = formatKey(labels)
      let entry = series.get(key)
      if (entry === undefined) {
        const counts = new Float64Array(bounds.length + 1)
        const created = { counts, sum: 0, histogram: { observe } }
        function observe(value: number): void {
          let i = 0
          while (i < bounds.length && value > bounds[i]!) i++
          counts[i]!++
          created.sum += value
        }
        series.set(key, (entry = created))
      }
      return entry.histogram
    },
    collect: () => collectAs(name, help),
    alias: (aliasName, aliasHelp) => ({ name: aliasName, help: aliasHelp, collect: () => collectAs(aliasName, aliasHelp) }),
  }
}
