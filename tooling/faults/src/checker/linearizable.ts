import type { Time } from './history.ts'
import { applyStep, formatStateKey, type KeyState, type KeyStep } from './key-model.ts'

export interface KeyOperation {
  readonly invoked: Time
  readonly returned: Time
  /** False if it is unknown whether the operation happened. It did not happen after `returned`. */
  readonly certain: boolean
  readonly step: KeyStep
}

export type Verdict =
  | { readonly type: 'yes' }
  /** No order exists. `stuck` is an operation that cannot be added to the longest order found. */
  | { readonly type: 'no'; readonly stuck: KeyOperation }
  | { readonly type: 'undecided' }

/** Maximum number of steps of the search. Valid histories need only a few steps per operation. */
const maxSteps = 1_000_000

interface Frame {
  readonly operation: number
  readonly state: KeyState
  readonly dropped: readonly number[]
  readonly low: number
  readonly high: number
}

/**
 * Checks whether operations on one key are linearizable. Searches for an order in which every outcome is valid and each operation is
 * between its call and its return. Uses Wing & Gong's search over a linked list of calls and returns. Like Lowe's algorithm and porcupine,
 * skips combinations of placed operations and key state that it has visited. Compares sets of placed operations by the XOR of 64 random
 * bits per operation.
 */
export function checkLinearizable(operations: readonly KeyOperation[], initial: KeyState): Verdict {
  const list = new CallList(operations)
  const random = createRandomBits(operations.length)
  const visited = new Set<string>()
  const stack: Frame[] = []
  let state = initial
  let low = 0
  let high = 0
  let remaining = operations.filter((operation) => operation.certain).length
  let best = -1
  let stuck: KeyOperation | undefined
  // Uncertain operations that returned between the head and `node`. Placing a later operation implies that they did not happen.
  let passed: number[] = []
  let node = list.first
  for (let steps = 0; remaining > 0; steps++) {
    if (steps > maxSteps) return { type: 'undecided' }
    const index = list.operationAt(node)
    const operation = operations[index]!
    if (!list.isReturn(node)) {
      const next = applyStep(state, operation.step)
      if (next) {
        let newLow = low ^ random[2 * index]!
        let newHigh = high ^ random[2 * index + 1]!
        for (const dropped of passed) {
          newLow ^= random[2 * dropped]!
          newHigh ^= random[2 * dropped + 1]!
        }
        const mark = `${newLow},${newHigh},${formatStateKey(next)}`
        if (!visited.has(mark)) {
          visited.add(mark)
          stack.push({ operation: index, state, dropped: passed, low, high })
          list.lift(index)
          for (const dropped of passed) list.lift(dropped)
          state = next
          low = newLow
          high = newHigh
          if (operation.certain) remaining--
          passed = []
          node = list.first
          continue
        }
      }
      node = list.next(node)
    } else if (!operation.certain) {
      passed = [...passed, index]
      node = list.next(node)
    } else {
      if (stack.length > best) {
        best = stack.length
        stuck = operation
      }
      const frame = stack.pop()
      if (!frame) return { type: 'no', stuck: stuck! }
      for (const dropped of frame.dropped.toReversed()) list.unlift(dropped)
      list.unlift(frame.operation)
      if (operations[frame.operation]!.certain) remaining++
      ;({ state, low, high } = frame)
      passed = [...frame.dropped]
      node = list.next(list.callOf(frame.operation))
    }
  }
  return { type: 'yes' }
}

/** A doubly linked list of calls and returns in order of time. Node 0 is the start of the list. Removing a call also removes its return. */
class CallList {
  readonly #next: Int32Array
  readonly #previous: Int32Array
  readonly #operation: Int32Array
  readonly #returns: Uint8Array
  readonly #call: Int32Array
  readonly #return: Int32Array

  constructor(operations: readonly KeyOperation[]) {
    const count = operations.length
    const nodes: { readonly time: Time; readonly returns: 0 | 1; readonly index: number }[] = []
    for (const [index, { invoked, returned }] of operations.entries())
      nodes.push({ time: invoked, returns: 0, index }, { time: returned, returns: 1, index })
    // A call comes before a return of the same time, so that the two operations overlap.
    nodes.sort((a, b) => (a.time === b.time ? a.returns - b.returns : a.time < b.time ? -1 : 1))
    this.#next = Int32Array.from({ length: 2 * count + 2 }, (_, i) => i + 1)
    this.#previous = Int32Array.from({ length: 2 * count + 2 }, (_, i) => i - 1)
    this.#operation = new Int32Array(2 * count + 1)
    this.#returns = new Uint8Array(2 * count + 1)
    this.#call = new Int32Array(count)
    this.#return = new Int32Array(count)
    for (const [i, { returns, index }] of nodes.entries()) {
      this.#operation[i + 1] = index
      this.#returns[i + 1] = returns
      ;(returns ? this.#return : this.#call)[index] = i + 1
    }
  }

  get first(): number {
    return this.#next[0]!
  }
  next(node: number): number {
    return this.#next[node]!
  }
  operationAt(node: number): number {
    return this.#operation[node]!
  }
  isReturn(node: number): boolean {
    return this.#returns[node] === 1
  }
  callOf(operation: number): number {
    return this.#call[operation]!
  }

  lift(operation: number): void {
    this.#unlink(this.#call[operation]!)
    this.#unlink(this.#return[operation]!)
  }

  /** Adds a removed operation again. Operations must be added in the reverse order of their removal. */
  unlift(operation: number): void {
    this.#link(this.#return[operation]!)
    this.#link(this.#call[operation]!)
  }

  #unlink(node: number): void {
    this.#next[this.#previous[node]!] = this.#next[node]!
    this.#previous[this.#next[node]!] = this.#previous[node]!
  }

  #link(node: number): void {
    this.#next[this.#previous[node]!] = node
    this.#previous[this.#next[node]!] = node
  }
}

/** Returns pseudo-random 32-bit numbers. The numbers are the same in every run, so that results are reproducible. */
function createRandomBits(count: number): Int32Array {
  const out = new Int32Array(2 * count)
  let x = 0x9e3779b9
  for (let i = 0; i < out.length; i++) {
    x = (x + 0x6d2b79f5) | 0
    let t = Math.imul(x ^ (x >>> 15), x | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    out[i] = t ^ (t >>> 14)
  }
  return out
}
