import { equals, keepError } from '../values/equality.ts'
import { listElements, isList } from '../values/list.ts'
import { CelError, Double, EvaluationPanic, isInt, Uint } from '../values/value.ts'
import type { Value } from '../values/value.ts'
import type { Label } from './label.ts'
import type { Machine, Step } from './machine.ts'
import { computeEqualityCost } from './runtime-cost.ts'

/** Creates a step that skips the second operand of `&&` or `||` if the first operand decides the result. */
export function skipLogic(decisive: boolean, end: Label): Step {
  return (machine) => {
    if (machine.stack.at(-1) === decisive) machine.position = end.position
  }
}

/** Creates a step that computes `&&` or `||` from both operands. An operand that decides the result hides the error of the other. */
export function joinLogic(decisive: boolean): Step {
  return (machine) => {
    const second = machine.pop()
    const first = machine.pop()
    machine.push(joinOperands(first, second, decisive))
  }
}

/** Computes `&&` or `||`. */
export function joinOperands(first: Value, second: Value, decisive: boolean): Value {
  if (second === decisive) return decisive
  if (typeof first !== 'boolean') return keepError(first)
  return typeof second === 'boolean' ? !decisive : keepError(second)
}

export function compareEquality(isNegated: boolean): Step {
  return (machine) => {
    const second = machine.pop()
    compareOperands(machine, machine.pop(), second, isNegated)
  }
}

/** Creates a step that compares the value on the stack with a constant. */
export function compareWithConstant(constant: Value, isNegated: boolean): Step {
  return (machine) => compareOperands(machine, machine.pop(), constant, isNegated)
}

/** Computes `==` or `!=`. The result of `!=` is true for values that cannot be compared. */
function compareOperands(machine: Machine, first: Value, second: Value, isNegated: boolean): void {
  machine.charge(computeEqualityCost(first, second, isNegated))
  if (first instanceof CelError || second instanceof CelError) machine.push(first instanceof CelError ? first : second)
  else machine.push(isNegated ? equals(first, second) !== true : equals(first, second))
}

/** Returns a step that checks membership in a constant list; undefined if the list contains other values than numbers, strings and booleans. */
export function isInConstants(list: Value): Step | undefined {
  if (!isList(list)) return undefined
  const elements = listElements(list)
  if (!elements.every(isSimple)) return undefined
  const names = new Set(elements.filter((element) => typeof element === 'string'))
  return (machine) => {
    const value = machine.pop()
    if (value instanceof Uint8Array) throw new EvaluationPanic('runtime error: hash of unhashable type types.Bytes')
    if (value instanceof CelError) machine.push(value)
    else machine.push(typeof value === 'string' ? names.has(value) : elements.some((element) => equals(element, value) === true))
  }
}

function isSimple(value: Value): boolean {
  return typeof value === 'string' || typeof value === 'boolean' || isInt(value) || value instanceof Double || value instanceof Uint
}
