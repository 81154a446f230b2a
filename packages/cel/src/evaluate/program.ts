import { nextTurn } from '@keelson/apimachinery'
import type { Compiled } from '../compile.ts'
import { adapt, CelError, EvaluationPanic } from '../values/value.ts'
import type { Value } from '../values/value.ts'
import { TooMuchWork } from '../values/workload.ts'
import type { Activation } from './activation.ts'
import { CostLimitExceeded, Machine } from './machine.ts'
import type { Step } from './machine.ts'
import { Planner } from './planner.ts'

/** The result of an evaluation. */
export interface Evaluation {
  /** A `CelError` if the evaluation failed. */
  readonly value: Value
  readonly cost: number
}

export interface EvaluateOptions {
  /** The cost at which the evaluation ends with an error. */
  readonly costLimit?: number
  /** Ends the evaluation with an error at its next pause. */
  readonly signal?: AbortSignal
}

/** kube-apiserver's limit for one expression. */
export const costLimitPerExpression = 1_000_000
const costLimitExceeded = new CelError('operation cancelled: actual cost limit exceeded')
const interrupted = new CelError('operation interrupted')

/**
 * An expression ready to be evaluated, any number of times.
 *
 * @example
 * const program = new Program(compile('object.replicas > 3', environment))
 * const { value } = await program.evaluate({ object: { replicas: 5 } })
 */
export class Program {
  readonly #steps: readonly Step[]
  /** Kept for the next evaluation. */
  #idle: Machine | undefined

  constructor(compiled: Compiled) {
    this.#steps = new Planner(compiled).plan()
  }

  /**
   * Evaluates the expression. Returns a promise only if the evaluation takes longer than a slice of the thread's time, or waits for a variable or an
   * authorizer. Evaluation errors are values; the promise does not reject for them.
   */
  evaluate(activation: Activation, options: EvaluateOptions = {}): Evaluation | Promise<Evaluation> {
    const machine = this.#idle ?? new Machine()
    this.#idle = undefined
    machine.start(activation, options.costLimit ?? costLimitPerExpression)
    const problem = attempt(() => {
      machine.run(this.#steps)
    })
    if (problem === undefined && (machine.waiting !== undefined || machine.isYielding)) return this.#continue(machine, options.signal)
    return this.#finish(machine, problem)
  }

  async #continue(machine: Machine, signal: AbortSignal | undefined): Promise<Evaluation> {
    for (;;) {
      if (machine.waiting === undefined) await nextTurn()
      else machine.push(adapt(await machine.waiting))
      if (signal?.aborted === true) return this.#finish(machine, interrupted)
      const problem = attempt(() => {
        machine.resume(this.#steps)
      })
      if (problem !== undefined || (machine.waiting === undefined && !machine.isYielding)) return this.#finish(machine, problem)
    }
  }

  #finish(machine: Machine, problem: CelError | undefined): Evaluation {
    const evaluation = { value: problem ?? machine.pop(), cost: machine.cost }
    machine.clear()
    this.#idle = machine
    return evaluation
  }
}

/** Returns the error if the evaluation ran out of its budget. */
function attempt(run: () => void): CelError | undefined {
  try {
    run()
    return undefined
  } catch (error) {
    if (error instanceof EvaluationPanic) return new CelError(`internal error: ${error.message}`)
    if (error instanceof CostLimitExceeded || error instanceof TooMuchWork) return costLimitExceeded
    throw error
  }
}
