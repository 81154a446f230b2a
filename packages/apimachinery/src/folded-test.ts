/** The allowed values of one key: the intersection of all allow lists without the denied values. */
export class FoldedTest {
  #allowed: Set<string> | undefined
  #denied: Set<string> | undefined

  allowOnly(values: readonly string[]): void {
    const allowed = this.#allowed
    this.#allowed = new Set(allowed === undefined ? values : values.filter((value) => allowed.has(value)))
  }

  deny(values: readonly string[]): void {
    this.#denied ??= new Set()
    for (const value of values) this.#denied.add(value)
  }

  holds(value: string): boolean {
    return this.#allowed?.has(value) !== false && this.#denied?.has(value) !== true
  }
}
