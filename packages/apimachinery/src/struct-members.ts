/** What a struct's members were decoded to, kept in the order of the schema whatever order they came in. */
export class Members {
  readonly slots: number[] = []
  readonly values: unknown[] = []

  /** Insertion from the end: few members, most of them in order already. */
  keep(slot: number, value: unknown): void {
    const { slots, values } = this
    let at = slots.length
    while (at > 0 && slots[at - 1]! > slot) at--
    if (at > 0 && slots[at - 1] === slot) values[at - 1] = value
    else if (at === slots.length) {
      slots.push(slot)
      values.push(value)
    } else {
      slots.splice(at, 0, slot)
      values.splice(at, 0, value)
    }
  }

  forget(slot: number): void {
    const at = this.slots.indexOf(slot)
    if (at < 0) return
    this.slots.splice(at, 1)
    this.values.splice(at, 1)
  }
}
