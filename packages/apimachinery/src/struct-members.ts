/** The decoded members of a struct in schema order, whatever their order in the input. Pooled: decoding acquires and releases one. */
export class Members {
  /** Only the first `count` entries are valid. */
  readonly slots: number[] = []
  readonly values: unknown[] = []
  count = 0

  /** Inserts from the end: members are few and usually in order. */
  keep(slot: number, value: unknown): void {
    const { slots, values } = this
    let at = this.count
    while (at > 0 && slots[at - 1]! > slot) at--
    if (at > 0 && slots[at - 1] === slot) {
      values[at - 1] = value
      return
    }
    for (let i = this.count++; i > at; i--) {
      slots[i] = slots[i - 1]!
      values[i] = values[i - 1]
    }
    slots[at] = slot
    values[at] = value
  }

  forget(slot: number): void {
    const { slots, values } = this
    let at = 0
    while (at < this.count && slots[at] !== slot) at++
    if (at === this.count) return
    this.count--
    for (let i = at; i < this.count; i++) {
      slots[i] = slots[i + 1]!
      values[i] = values[i + 1]
    }
    values[this.count] = undefined
  }

  clear(): void {
    for (let i = 0; i < this.count; i++) this.values[i] = undefined
    this.count = 0
  }
}

/** The maximum depth of real objects. */
const maxPooled = 32
const free: Members[] = []

export function acquireMembers(): Members {
  return free.pop() ?? new Members()
}

/** A lost one, after decoding threw, is harmless. */
export function releaseMembers(members: Members): void {
  if (free.length === maxPooled) return
  members.clear()
  free.push(members)
}
