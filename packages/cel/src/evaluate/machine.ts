import { sliceMilliseconds } from '@keelson/apimachinery'
import { adapt, CelError } from '../values/value.ts'
import type { Value } from '../values/value.ts'
import { workload } from '../values/workload.ts'
import type { Activation } from './activation.ts'
import { Lazy } from './activation.ts'

/** One step of a program. Takes its operands from the machine's stack and pushes its result. May change the machine's position to jump. */
export type Step = (machine: Machine) => void

/** Thrown when an evaluation costs more than its limit. */
export class CostLimitExceeded extends Error {}

/** Cost between two looks at the clock, which take longer than most steps. */
const costPerLook = 1000
/** Half of a slice, because a step can be long. */
const turnMilliseconds = sliceMilliseconds / 2
/** Total work allowed besides the cost, in steps of `workload`. */
const maxTotalWork = 20_000_000

/** The marker of a variable without a value yet. */
export const unset: unique symbol = Symbol('unset')

/**
 * Runs the steps of a program. All state is explicit, so that an evaluation can pause between two steps, to give other work the thread or to wait
 * for a promise.
 */
export class Machine {
  readonly stack: Value[] = []
  /** Variables and iterators of comprehensions. */
  readonly slots: unknown[] = []
  /** Return positions of subroutines. */
  readonly returns: number[] = []
  position = 0
  cost = 0
  /** Set while the evaluation waits. The promise's result goes to the stack. */
  waiting: Promise<unknown> | undefined
  /** Whether the pause is only for other work. */
  isYielding = false
  #limit = Infinity
  #activation: Activation = {}
  #nextLook = 0
  #turnEnd = 0
  #totalWork = 0

  start(activation: Activation, limit: number): void {
    this.stack.length = 0
    this.slots.length = 0
    this.returns.length = 0
    this.position = 0
    this.cost = 0
    this.waiting = undefined
    this.isYielding = false
    this.#limit = limit
    this.#activation = activation
    this.#totalWork = 0
    this.#nextLook = costPerLook
    this.#turnEnd = 0
    workload.reset()
  }

  /** Releases the variables. */
  clear(): void {
    this.#activation = {}
    this.stack.length = 0
    this.slots.length = 0
    this.waiting = undefined
  }

  /** Runs until the end or a pause. */
  run(steps: readonly Step[]): void {
    while (this.position < steps.length) {
      steps[this.position++]!(this)
      if (this.waiting !== undefined || this.isYielding) return
    }
  }

  /** Continues after a pause, in a new turn. */
  resume(steps: readonly Step[]): void {
    this.isYielding = false
    this.waiting = undefined
    this.#turnEnd = performance.now() + turnMilliseconds
    this.#totalWork += workload.done
    workload.reset()
    this.run(steps)
  }

  charge(cost: number): void {
    if ((this.cost += cost) > this.#limit) throw new CostLimitExceeded()
  }

  /** Pauses if the turn is over. Loops call it once per element. */
  breathe(): void {
    const spent = this.cost + workload.done
    if (spent < this.#nextLook) return
    this.#nextLook = spent + costPerLook
    if (this.#totalWork + workload.done > maxTotalWork) throw new CostLimitExceeded()
    const now = performance.now()
    if (this.#turnEnd === 0) this.#turnEnd = now + turnMilliseconds
    else if (now >= this.#turnEnd) {
      this.isYielding = true
      this.#nextLook = this.cost + costPerLook
    }
  }

  /** Returns the value of a variable of the activation; a promise if the value must be computed first. */
  variable(name: string): Value | Promise<Value> {
    const activation = this.#activation
    const raw = Object.hasOwn(activation, name) ? activation[name] : undefined
    if (raw === undefined) return new CelError(`no such attribute(s): ${name}`)
    return raw instanceof Lazy ? raw.value() : adapt(raw)
  }

  pop(): Value {
    return this.stack.pop()!
  }

  push(value: Value): void {
    this.stack.push(value)
  }

  /** Pushes a value, after waiting for it if necessary. */
  pushLater(value: Value | Promise<Value>): void {
    if (value instanceof Promise) this.waiting = value
    else this.stack.push(value)
  }
}
