/** What a struct's members were decoded to, kept in the order of the schema whatever order they came in. Decoding takes one and gives it back. */
export class Members {
  /** The first `count` of each. */
  readonly slots: number[] = []
  readonly values: unknown[] = []
  count = 0

  /** Insertion from the end: few members, most of them in order already. */
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

/** As many as objects are deep. */
const most = 32
const free: Members[] = []

export function takeMembers(): Members {
  return free.pop() ?? new Members()
}

/** One that is never given back, because decoding ended in an error, is only lost. */
export function giveBackMembers(members: Members): void {
  if (free.length === most) return
  members.clear()
  free.push(members)
}
