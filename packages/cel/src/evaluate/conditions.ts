import { equals, orError } from '../values/equality.ts'
import { elementsOf, isList } from '../values/list.ts'
import { CelError, Double, EvaluationPanic, isInt, Uint } from '../values/value.ts'
import type { Value } from '../values/value.ts'
import type { Label } from './label.ts'
import type { Machine, Step } from './machine.ts'
import { equalityCost, inequalityCost } from './runtime-cost.ts'
import type { CallCost } from './runtime-cost.ts'

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

function joinOperands(first: Value, second: Value, decisive: boolean): Value {
  if (second === decisive) return decisive
  if (typeof first !== 'boolean') return orError(first)
  return typeof second === 'boolean' ? !decisive : orError(second)
}

export function compareEquality(isNegated: boolean): Step {
  return isNegated ? compareNotEqual : compareEqual
}

function compareEqual(machine: Machine): void {
  const [first, second] = popEqualityOperands(machine, equalityCost)
  machine.push(first instanceof CelError ? first : second instanceof CelError ? second : equals(first, second))
}

/** Computes `!=`. The result is true for values that cannot be compared. */
function compareNotEqual(machine: Machine): void {
  const [first, second] = popEqualityOperands(machine, inequalityCost)
  machine.push(first instanceof CelError ? first : second instanceof CelError ? second : equals(first, second) !== true)
}

function popEqualityOperands(machine: Machine, cost: CallCost): readonly [Value, Value] {
  const second = machine.pop()
  const first = machine.pop()
  const isScalar = (typeof first === 'number' || typeof first === 'boolean') && typeof second === typeof first
  machine.charge(isScalar ? 1 : cost([first, second], null))
  return [first, second]
}

/** Returns a step that checks membership in a constant list; undefined if the list contains other values than numbers, strings and booleans. */
export function isInConstants(list: Value): Step | undefined {
  if (!isList(list)) return undefined
  const elements = elementsOf(list)
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
