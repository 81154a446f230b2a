import type { Overload } from '../declarations/function-declaration.ts'
import type { Implementation } from '../functions/implementation.ts'
import { getElement, isList, listSize } from '../values/list.ts'
import { findInMap, isMap, listKeys } from '../values/map.ts'
import { getTypeName } from '../values/text.ts'
import { CelError } from '../values/value.ts'
import type { Value } from '../values/value.ts'
import type { Type } from '../types/type.ts'
import type { Label } from './label.ts'
import type { Machine, Step } from './machine.ts'
import { dependsOnResult, isNominal } from './runtime-cost.ts'
import type { CallCost } from './runtime-cost.ts'

/** Returns whether a value has a certain type at run time. For a list or map, the check covers only the first element, as in cel-go. */
type Guard = (value: Value) => boolean

function findGuard(type: Type): Guard | undefined {
  const [first, second] = type.parameters.map(findGuard)
  switch (type.kind) {
    case 'any':
    case 'dyn':
    case 'parameter':
      return undefined
    case 'string':
      return (value) => typeof value === 'string'
    case 'int':
      return (value) => typeof value === 'number' || typeof value === 'bigint'
    case 'list':
      return (value) => isList(value) && (first === undefined || listSize(value) === 0 || first(getElement(value, 0)))
    case 'map':
      return (value) => {
        if (!isMap(value)) return false
        const [key] = first === undefined && second === undefined ? [] : listKeys(value)
        return key === undefined || ((first?.(key) ?? true) && (second?.(findInMap(value, key)!) ?? true))
      }
    default:
      return (value) => getTypeName(value) === type.name
  }
}

/** An overload of a function with its implementation and the checks of its parameter types. */
export class BoundOverload {
  readonly implementation: Implementation
  readonly #guards: readonly (Guard | undefined)[]

  constructor(overload: Overload, implementation: Implementation) {
    this.implementation = implementation
    this.#guards = overload.args.map(findGuard)
  }

  accepts(args: readonly Value[]): boolean {
    const guards = this.#guards
    if (guards.length !== args.length) return false
    for (let i = 0; i < guards.length; i++) {
      const guard = guards[i]
      if (guard !== undefined && !guard(args[i]!)) return false
    }
    return true
  }
}

/** Returns a function that calls the first overload that accepts the arguments. */
export function dispatch(name: string, overloads: readonly BoundOverload[]): Implementation {
  const [only] = overloads
  if (overloads.length === 1 && only !== undefined) {
    return (...args) => (only.accepts(args) ? only.implementation(...args) : createNoOverloadError(name, args))
  }
  return (...args) => {
    for (const overload of overloads) if (overload.accepts(args)) return overload.implementation(...args)
    return createNoOverloadError(name, args)
  }
}

function createNoOverloadError(name: string, args: readonly Value[]): CelError {
  return new CelError(`no such overload: ${name}(${args.map(getTypeName).join(', ')})`)
}

/** Creates a step that calls a function with the arguments on the stack. If an argument is an error, the first error is the result. */
export function callFunction(implementation: Implementation, count: number, cost: CallCost): Step {
  if (isNominal(cost) && count === 1) return callNominalUnary(implementation)
  if (isNominal(cost) && count === 2) return callNominalBinary(implementation)
  const isChargedLater = dependsOnResult(cost)
  if (count === 2 && !isChargedLater) return callBinary(implementation, cost)
  return (machine) => {
    const { stack } = machine
    const bottom = stack.length - count
    const args: Value[] = []
    let problem: CelError | undefined
    for (let i = bottom; i < stack.length; i++) {
      const arg = stack[i]!
      if (problem === undefined && arg instanceof CelError) problem = arg
      args.push(arg)
    }
    stack.length = bottom
    const before = machine.cost
    if (!isChargedLater) machine.charge(cost(args, null))
    let result: Value | Promise<Value>
    try {
      result = problem ?? implementation(...args)
    } catch (error) {
      // kube-apiserver charges calls after they return, so a call that panics costs nothing.
      machine.cost = before
      throw error
    }
    if (isChargedLater && !(result instanceof Promise)) machine.charge(cost(args, result))
    machine.pushLater(result)
  }
}

function callNominalUnary(implementation: Implementation): Step {
  return (machine) => {
    const arg = machine.pop()
    const result = arg instanceof CelError ? arg : implementation(arg)
    machine.charge(1)
    machine.pushLater(result)
  }
}

function callNominalBinary(implementation: Implementation): Step {
  return (machine) => {
    const second = machine.pop()
    const first = machine.pop()
    const result = first instanceof CelError ? first : second instanceof CelError ? second : implementation(first, second)
    machine.charge(1)
    machine.pushLater(result)
  }
}

function callBinary(implementation: Implementation, cost: CallCost): Step {
  const call = { implementation, cost }
  return (machine) => {
    const second = machine.pop()
    callWith(machine, call, machine.pop(), second)
  }
}

/** Creates a step that calls a function with the argument on the stack and a constant. The cost must not depend on the result. */
export function callWithConstant(implementation: Implementation, constant: Value, cost: CallCost): Step {
  if (isNominal(cost)) {
    return (machine) => {
      const arg = machine.pop()
      const result = arg instanceof CelError ? arg : implementation(arg, constant)
      machine.charge(1)
      machine.pushLater(result)
    }
  }
  const call = { implementation, cost }
  return (machine) => callWith(machine, call, machine.pop(), constant)
}

interface ChargedCall {
  readonly implementation: Implementation
  readonly cost: CallCost
}

function callWith(machine: Machine, { implementation, cost }: ChargedCall, first: Value, second: Value): void {
  const before = machine.cost
  machine.charge(cost([first, second], null))
  if (first instanceof CelError || second instanceof CelError) return machine.push(first instanceof CelError ? first : second)
  let result: Value | Promise<Value>
  try {
    result = implementation(first, second)
  } catch (error) {
    // kube-apiserver charges calls after they return, so a call that panics costs nothing.
    machine.cost = before
    throw error
  }
  machine.pushLater(result)
}

/**
 * Creates a step that ends a call or a literal early if the value on the stack is an error. `below` is the number of earlier operands on
 * the stack.
 */
export function skipAfterError(below: number, cost: number, end: Label): Step {
  return (machine) => {
    const operand = machine.stack.at(-1)!
    if (operand instanceof CelError) replaceOperands(machine, { count: below + 1, result: operand, cost, end })
  }
}

interface EarlyEnd {
  /** Number of operands on the stack. */
  readonly count: number
  readonly result: Value
  readonly cost: number
  readonly end: Label
}

/** Replaces the operands on the stack by a result and jumps to the end of the call. */
export function replaceOperands(machine: Machine, { count, result, cost, end }: EarlyEnd): void {
  machine.stack.length -= count
  machine.charge(cost)
  machine.push(result)
  machine.position = end.position
}
