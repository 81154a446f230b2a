/** A place in a row, for who leaves it. */
export interface Place<T> {
  readonly value: T
  before: Place<T> | undefined
  after: Place<T> | undefined
  inRow: boolean
}

/** What has come and not left yet, in the order in which it came. A set of objects does the same, at several times the cost: it has to number them. */
export class Row<T> {
  #first: Place<T> | undefined
  #last: Place<T> | undefined

  get first(): Place<T> | undefined {
    return this.#first
  }

  add(value: T): Place<T> {
    const last = this.#last
    const place: Place<T> = { value, before: last, after: undefined, inRow: true }
    if (last === undefined) this.#first = place
    else last.after = place
    this.#last = place
    return place
  }

  /** Nothing happens when it has left already. */
  remove(place: Place<T>): void {
    if (!place.inRow) return
    const { before, after } = place
    if (before === undefined) this.#first = after
    else before.after = after
    if (after === undefined) this.#last = before
    else after.before = before
    // Whoever still holds the place must not hold its neighbours.
    place.inRow = false
    place.before = place.after = undefined
  }

  /** The row must stay as it is meanwhile. */
  *[Symbol.iterator](): IterableIterator<T> {
    for (let place = this.#first; place !== undefined; place = place.after) yield place.value
  }
}
