import { labelText } from './metric-text.ts'
import type { LabelConstraint, LabelValues } from './metric-text.ts'

/** The series of a metric, by the text of their labels. A constraint may replace unexpected label values, so that several labels share a series. */
export class SeriesMap<Series> {
  readonly #series = new Map<string, Series>()
  readonly #create: () => Series
  #constrain: LabelConstraint | undefined

  constructor(create: () => Series) {
    this.#create = create
  }

  get size(): number {
    return this.#series.size
  }

  constrain(constraint: LabelConstraint): void {
    this.#constrain = constraint
  }

  /** Returns the series of these labels. Creates it if it does not exist. */
  with(labels: LabelValues): Series {
    const key = labelText(this.#constrain === undefined ? labels : this.#constrain(labels))
    let series = this.#series.get(key)
    if (series === undefined) this.#series.set(key, (series = this.#create()))
    return series
  }

  /** Removes a series. Keeps the series of unexpected label values, because other labels share it. */
  delete(labels: LabelValues): void {
    this.#series.delete(labelText(labels))
  }

  values(): Iterable<Series> {
    return this.#series.values()
  }

  [Symbol.iterator](): Iterator<readonly [labels: string, series: Series]> {
    return this.#series.entries()
  }
}
