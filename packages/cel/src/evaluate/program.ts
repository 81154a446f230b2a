import { waitForNextTurn } from '@keelson/apimachinery'
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
  /** The resulting value; a `CelError` if the evaluation failed. */
  readonly value: Value
  readonly cost: number
}

export interface EvaluateOptions {
  /** Cost limit. An evaluation that exceeds it ends with an error. */
  readonly costLimit?: number
  /** Signal that aborts the evaluation with an error at its next pause. */
  readonly signal?: AbortSignal
}

/** kube-apiserver's cost limit for one expression. */
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

  constructor(compiled: Compiled) {
    this.#steps = new Planner(compiled).plan()
  }

  /**
   * Evaluates the expression. Returns a promise only if the evaluation exceeds a time slice or awaits a variable or an authorizer. An
   * evaluation error is the result's value; the promise does not reject.
   */
  evaluate(activation: Activation, options: EvaluateOptions = {}): Evaluation | Promise<Evaluation> {
    const machine = takeMachine()
    const problem = this.#start(machine, activation, options.costLimit)
    if (problem === undefined && (machine.waiting !== undefined || machine.isYielding)) return this.#continue(machine, options.signal)
    return finish(machine, problem)
  }

  /**
   * Evaluates the expression until the end of a time slice. If it has not finished by then, returns a function that continues it for another
   * slice and returns undefined until it has finished. All variables must be synchronous.
   */
  evaluateInSlices(activation: Activation, costLimit?: number): Evaluation | (() => Evaluation | undefined) {
    const machine = takeMachine()
    const problem = this.#start(machine, activation, costLimit)
    if (problem !== undefined || !machine.isYielding) return finish(machine, problem)
    return () => {
      const later = this.#resume(machine)
      return later === undefined && machine.isYielding ? undefined : finish(machine, later)
    }
  }

  #start(machine: Machine, activation: Activation, costLimit: number = costLimitPerExpression): CelError | undefined {
    machine.start(activation, costLimit)
    return attempt(machine, this.#steps, false)
  }

  #resume(machine: Machine): CelError | undefined {
    return attempt(machine, this.#steps, true)
  }

  async #continue(machine: Machine, signal: AbortSignal | undefined): Promise<Evaluation> {
    for (;;) {
      if (machine.waiting === undefined) await waitForNextTurn()
      else machine.push(adapt(await machine.waiting))
      if (signal?.aborted === true) return finish(machine, interrupted)
      const problem = this.#resume(machine)
      if (problem !== undefined || (machine.waiting === undefined && !machine.isYielding)) return finish(machine, problem)
    }
  }
}

/** A machine that the next evaluation of any program can reuse. */
let idle: Machine | undefined

function takeMachine(): Machine {
  const machine = idle ?? new Machine()
  idle = undefined
  return machine
}

function finish(machine: Machine, problem: CelError | undefined): Evaluation {
  const evaluation = { value: problem ?? machine.pop(), cost: machine.cost }
  machine.clear()
  idle = machine
  return evaluation
}

/** Runs a part of an evaluation. Returns the error if a limit was exceeded or kube-apiserver would panic. */
function attempt(machine: Machine, steps: readonly Step[], isResumed: boolean): CelError | undefined {
  try {
    if (isResumed) machine.resume(steps)
    else machine.run(steps)
    return undefined
  } catch (error) {
    if (error instanceof EvaluationPanic) return new CelError(`internal error: ${error.message}`)
    if (error instanceof CostLimitExceeded || error instanceof TooMuchWork) return costLimitExceeded
    throw error
  }
}
