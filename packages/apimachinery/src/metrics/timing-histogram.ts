import { formatBound, formatMetricHeader } from './metric-text.ts'
import type { LabelValues } from './metric-text.ts'
import type { Collector } from './metrics-registry.ts'
import { SeriesMap } from './series-map.ts'

/** A ratio whose two numbers change independently. Times are in milliseconds, as returned by the clock of the histogram. */
export interface TimedRatio {
  setNumerator(numerator: number, now: number): void
  setDenominator(denominator: number, now: number): void
}

export interface TimingHistogramVector extends Collector {
  /** Returns the ratio of these labels, which starts as 0 of 1. The result is always the same object. */
  with(labels: LabelValues): TimedRatio
  delete(labels: LabelValues): void
}

const nanosecondsPerMillisecond = 1e6

/**
 * Creates a histogram of ratios over time. As in kube-apiserver, it has one observation for each nanosecond. So a bucket has the number of
 * nanoseconds in which the ratio was at most its bound.
 */
export function createTimingHistogram(
  name: string,
  help: string,
  options: { readonly bounds: readonly number[]; readonly now: () => number },
): TimingHistogramVector {
  const { bounds, now } = options
  const names = [...bounds.map(formatBound), '+Inf']
  const series = new SeriesMap(() => new MeasuredRatio(bounds, now()))
  return {
    name,
    help,
    constrainLabels: (constraint) => series.constrain(constraint),
    with: (labels) => series.with(labels),
    delete: (labels) => series.delete(labels),
    reset: () => {
      for (const ratio of series.values()) ratio.reset(now())
    },
    *collect() {
      if (series.size === 0) return
      yield formatMetricHeader(name, help, 'histogram')
      for (const [labels, ratio] of series) {
        const before = labels === '' ? '' : `${labels},`
        const braces = labels === '' ? '' : `{${labels}}`
        const { milliseconds, sum } = ratio.read(now())
        let text = ''
        let total = 0
        for (const [i, each] of milliseconds.entries()) {
          total += each
          text += `${name}_bucket{${before}le="${names[i]}"} ${Math.round(total * nanosecondsPerMillisecond)}\n`
        }
        text += `${name}_sum${braces} ${sum * nanosecondsPerMillisecond}\n`
        yield `${text}${name}_count${braces} ${Math.round(total * nanosecondsPerMillisecond)}\n`
      }
    },
  }
}

/** Integers below this number only add their time to an array. */
const countedNumerators = 128

/**
 * A ratio that changes much more often than it is read. Most numerators are small integers, so their time is collected by numerator. Its buckets
 * are determined when the histogram is read, or when the denominator changes.
 */
class MeasuredRatio implements TimedRatio {
  readonly #bounds: readonly number[]
  /** Milliseconds by bucket. */
  readonly #milliseconds: Float64Array
  #sum = 0
  /** Milliseconds by numerator that are not in the buckets yet. */
  readonly #pending = new Float64Array(countedNumerators)
  #numerator = 0
  #denominator = 1
  #since: number

  constructor(bounds: readonly number[], now: number) {
    this.#bounds = bounds
    this.#milliseconds = new Float64Array(bounds.length + 1)
    this.#since = now
  }

  setNumerator(numerator: number, now: number): void {
    if (numerator === this.#numerator) return
    this.#accumulate(now)
    this.#numerator = numerator
  }

  setDenominator(denominator: number, now: number): void {
    if (denominator === this.#denominator) return
    this.#accumulate(now)
    this.#distribute()
    this.#denominator = denominator
  }

  read(now: number): { readonly milliseconds: Float64Array; readonly sum: number } {
    this.#accumulate(now)
    this.#distribute()
    return { milliseconds: this.#milliseconds, sum: this.#sum }
  }

  reset(now: number): void {
    this.#milliseconds.fill(0)
    this.#pending.fill(0)
    this.#sum = 0
    this.#since = now
  }

  #accumulate(now: number): void {
    const elapsed = now - this.#since
    this.#since = now
    const index = this.#numerator | 0
    if (index === this.#numerator && index >= 0 && index < countedNumerators) this.#pending[index]! += elapsed
    else this.#add(this.#numerator, elapsed)
  }

  #distribute(): void {
    for (let numerator = 0; numerator < countedNumerators; numerator++) {
      const elapsed = this.#pending[numerator]!
      if (elapsed !== 0) this.#add(numerator, elapsed)
    }
    this.#pending.fill(0)
  }

  #add(numerator: number, elapsed: number): void {
    const ratio = numerator / this.#denominator
    let bucket = 0
    while (bucket < this.#bounds.length && ratio > this.#bounds[bucket]!) bucket++
    this.#milliseconds[bucket]! += elapsed
    this.#sum += ratio * elapsed
  }
}
