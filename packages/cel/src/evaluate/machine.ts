import { sliceMilliseconds } from '@keelson/apimachinery'
import { adapt, CelError } from '../values/value.ts'
import type { Value } from '../values/value.ts'
import { workload } from '../values/workload.ts'
import type { Activation } from './activation.ts'
import { Lazy } from './activation.ts'

/**
 * One step of a program. A step pops its operands from the machine's stack and pushes its result. It can jump by setting the machine's
 * position.
 */
export type Step = (machine: Machine) => void

/** Thrown when an evaluation costs more than its limit. */
export class CostLimitExceeded extends Error {}

/** Cost after which the machine reads the clock. Reading it takes longer than most steps. */
const costPerLook = 1000
/** Maximum time before the machine pauses. It is half of the thread's time slice, because a single step can be long. */
const turnMilliseconds = sliceMilliseconds / 2
/** Maximum total work of one evaluation that its cost does not reflect, in units of `workload`. */
const maxTotalWork = 20_000_000

const noVariables: Activation = {}

/** Marks a variable whose value has not been computed yet. */
export const unset: unique symbol = Symbol('unset')

/**
 * Runs the steps of a program. All state is in its fields, so an evaluation can pause between two steps to yield to other work or to await
 * a promise.
 */
export class Machine {
  readonly stack: Value[] = []
  /** Memory slots of the variables and loops of comprehensions. */
  readonly slots: unknown[] = []
  /** Call stack: return positions of subroutines. */
  readonly returns: number[] = []
  position = 0
  cost = 0
  /** The promise that the evaluation awaits. Its result is pushed to the stack. */
  waiting: Promise<unknown> | undefined
  /** Whether the evaluation has paused only to yield to other work. */
  isYielding = false
  /** The variables of the expression. */
  activation: Activation = noVariables
  #limit = Infinity
  #nextLook = 0
  #turnEnd = 0
  #totalWork = 0

  /** Prepares an evaluation. The machine must be new or cleared. */
  start(activation: Activation, limit: number): void {
    this.position = 0
    this.cost = 0
    this.waiting = undefined
    this.isYielding = false
    this.#limit = limit
    this.activation = activation
    this.#totalWork = 0
    this.#nextLook = costPerLook
    this.#turnEnd = 0
    workload.reset()
  }

  /** Clears the variables and slots, so that their values can be garbage-collected. */
  clear(): void {
    this.activation = noVariables
    // Most evaluations leave these empty, and setting the length of an array takes longer than reading it.
    if (this.stack.length > 0) this.stack.length = 0
    if (this.slots.length > 0) this.slots.length = 0
    if (this.returns.length > 0) this.returns.length = 0
    this.waiting = undefined
  }

  /** Runs the program from the start until its end or a pause. */
  run(steps: readonly Step[]): void {
    while (this.position < steps.length) {
      steps[this.position++]!(this)
      if (this.waiting !== undefined || this.isYielding) return this.#pause()
    }
  }

  /** Takes over the work that was counted, because other evaluations count from zero during the pause. */
  #pause(): void {
    this.#totalWork += workload.done
    workload.reset()
  }

  /** Continues the program after a pause. */
  resume(steps: readonly Step[]): void {
    this.isYielding = false
    this.waiting = undefined
    this.#turnEnd = performance.now() + turnMilliseconds
    workload.reset()
    this.run(steps)
  }

  charge(cost: number): void {
    if ((this.cost += cost) > this.#limit) throw new CostLimitExceeded()
  }

  /** Returns whether the limit allows a cost. */
  canCharge(cost: number): boolean {
    return this.cost + cost <= this.#limit
  }

  /** Charges several steps that cost 1 each. Like these, it stops at the first cost above the limit. */
  chargeSteps(count: number): void {
    if (this.canCharge(count)) this.cost += count
    else for (;;) this.charge(1)
  }

  /** Pauses if the evaluation has run too long. Loops call this once per element. */
  yieldIfDue(): void {
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

  /** Returns the value of a variable; a promise if the variable is `Lazy` and asynchronous. */
  variable(name: string): Value | Promise<Value> {
    const { activation } = this
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

  /** Pushes a value to the stack. If it is a promise, pauses until it resolves. */
  pushLater(value: Value | Promise<Value>): void {
    if (value instanceof Promise) this.waiting = value
    else this.stack.push(value)
  }
}
