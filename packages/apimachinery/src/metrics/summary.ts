import { formatMetricHeader } from './metric-text.ts'
import type { LabelValues } from './metric-text.ts'
import type { Collector } from './metrics-registry.ts'
import { SeriesMap } from './series-map.ts'

export interface Summary {
  /** Records a duration in seconds. `now` is a `performance.now()` that the caller has just read. */
  observe(seconds: number, now: number): void
}

export interface SummaryVector extends Collector {
  with(labels: LabelValues): Summary
}

/** Quantiles of each summary, as in kube-apiserver. */
const quantiles = [0.5, 0.9, 0.99]
/** Number of time windows whose observations the quantiles cover. The sum and the count cover all observations. */
const windows = 5
/**
 * Bins for durations from 100 ns to 1000 s. Each bin is 4 % wider than the previous one. The relative error of a quantile is therefore at most 2
 * %.
 */
const [lowest, ratio, bins] = [1e-7, 1.04, 590]
const binsPerE = 1 / Math.log(ratio)

/** Creates a summary. Its quantiles cover the durations of the last `maxAgeMs`. Its memory use is constant. */
export function createSummary(name: string, help: string, maxAgeMs: number, clock: () => number = () => performance.now()): SummaryVector {
  const series = new SeriesMap(() => new Recent(maxAgeMs / windows))
  return {
    name,
    help,
    constrainLabels: (constraint) => series.constrain(constraint),
    with: (labels) => series.with(labels),
    reset: () => {
      for (const recent of series.values()) recent.reset()
    },
    *collect() {
      if (series.size === 0) return
      yield formatMetricHeader(name, help, 'summary')
      for (const [labels, recent] of series) {
        const before = labels === '' ? '' : `${labels},`
        const braces = labels === '' ? '' : `{${labels}}`
        const lines = recent.quantiles(clock()).map((value, i) => `${name}{${before}quantile="${quantiles[i]}"} ${value}\n`)
        yield `${lines.join('')}${name}_sum${braces} ${recent.sum}\n${name}_count${braces} ${recent.count}\n`
      }
    },
  }
}

class Recent implements Summary {
  sum = 0
  count = 0
  readonly #windowMs: number
  /** Observations by bin, one array for each window. The first array is the current window. */
  #counts: Uint32Array[] = [new Uint32Array(bins)]
  #ends: number | undefined

  constructor(windowMs: number) {
    this.#windowMs = windowMs
  }

  observe(seconds: number, now: number): void {
    if (this.#ends === undefined || now >= this.#ends) this.#turn(now)
    this.sum += seconds
    this.count++
    this.#counts[0]![findBin(seconds)]!++
  }

  quantiles(now: number): number[] {
    if (this.#ends !== undefined && now >= this.#ends) this.#turn(now)
    const merged = new Float64Array(bins)
    let total = 0
    for (const counts of this.#counts) {
      for (let i = 0; i < bins; i++) {
        merged[i]! += counts[i]!
        total += counts[i]!
      }
    }
    return quantiles.map((quantile) => (total === 0 ? Number.NaN : findQuantile(merged, Math.ceil(quantile * total))))
  }

  reset(): void {
    this.sum = this.count = 0
    this.#counts = [new Uint32Array(bins)]
  }

  #turn(now: number): void {
    const passed = this.#ends === undefined ? 0 : Math.floor((now - this.#ends) / this.#windowMs) + 1
    for (let i = 0; i < Math.min(passed, windows); i++) this.#counts.unshift(new Uint32Array(bins))
    this.#counts.length = Math.min(this.#counts.length, windows)
    this.#ends = this.#ends === undefined ? now + this.#windowMs : this.#ends + passed * this.#windowMs
  }
}

function findBin(seconds: number): number {
  if (!(seconds > lowest)) return 0
  return Math.min(bins - 1, Math.trunc(Math.log(seconds / lowest) * binsPerE))
}

/** Returns the middle of the bin that contains the observation with this rank. */
function findQuantile(counts: Float64Array, rank: number): number {
  let seen = 0
  for (let i = 0; i < bins; i++) {
    seen += counts[i]!
    if (seen >= rank) return lowest * ratio ** (i + 0.5)
  }
  return Number.NaN
}
