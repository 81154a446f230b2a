import { getElement, isList, listSize, MutableList } from '../values/list.ts'
import type { ListValue } from '../values/list.ts'
import { EntryMap, findInMap, isMap, listKeys, mapSize } from '../values/map.ts'
import type { MapValue } from '../values/map.ts'
import { getGoType } from '../values/text.ts'
import { joinOperands } from './conditions.ts'
import { CelError } from '../values/value.ts'
import type { Value } from '../values/value.ts'
import type { Label } from './label.ts'
import type { Machine, Step } from './machine.ts'
import { unset } from './machine.ts'

/** The memory slots of a comprehension's variables. */
export interface LoopSlots {
  readonly iterator: number
  readonly accumulator: number
  readonly first: number
  /** The slot of the second variable; undefined if the comprehension has one variable. */
  readonly second?: number
}

/** The state of a loop: the elements of a list or the keys of a map, and the current position. */
interface Iterator {
  readonly items: ListValue
  /** The map whose keys are in `items`; undefined for a list. */
  readonly map: MapValue | undefined
  readonly size: number
  next: number
}

/** Creates a step that starts a loop over the value on the stack. */
export function beginLoop({ iterator, second }: LoopSlots, end: Label): Step {
  return (machine) => {
    const range = machine.pop()
    if (isList(range)) machine.slots[iterator] = { items: range, map: undefined, size: listSize(range), next: 0 } satisfies Iterator
    else if (isMap(range)) {
      const items = listKeys(range)
      machine.slots[iterator] = { items, map: range, size: items.length, next: 0 } satisfies Iterator
    } else {
      machine.push(range instanceof CelError ? range : createNotIterableError(range, second !== undefined))
      machine.position = end.position
    }
  }
}

function createNotIterableError(range: Value, hasTwoVariables: boolean): CelError {
  const type = getGoType(range)
  return new CelError(hasTwoVariables ? `unsupported comprehension range type: ${type}` : `got '${type}', expected iterable type`)
}

/** Creates a step that sets the variables to the next element. After the last element, the step jumps to `done`. */
export function advanceLoop({ iterator, first, second }: LoopSlots, done: Label): Step {
  return (machine) => {
    const state = machine.slots[iterator] as Iterator
    const index = state.next++
    if (index >= state.size) {
      machine.position = done.position
      return
    }
    const item = getElement(state.items, index)
    if (second === undefined) machine.slots[first] = item
    else {
      machine.slots[first] = state.map === undefined ? index : item
      machine.slots[second] = state.map === undefined ? item : findInMap(state.map, item)
    }
    machine.yieldIfDue()
  }
}

/**
 * Creates a step that starts an iteration of `all()` or `exists()`: it replaces `advanceLoop`, the condition and the first operand of
 * `accumulator && test`. `decisive` is the value of the accumulator that ends the loop.
 */
export function advanceQuantifier(slots: LoopSlots, decisive: boolean, done: Label): Step {
  const advance = advanceLoop(slots, done)
  const conditionCost = decisive ? 3 : 2
  return (machine) => {
    advance(machine)
    if (machine.position === done.position) return
    const isDecided = machine.slots[slots.accumulator] === decisive
    // Unless the loop ends, the second operand follows, and reading the first one has cost 1.
    machine.chargeSteps(isDecided ? conditionCost : conditionCost + 1)
    if (isDecided) machine.position = done.position
  }
}

/** Creates a step that ends an iteration of `all()` or `exists()` with the result of the test on the stack. */
export function accumulateTest(slot: number, decisive: boolean, next: Label): Step {
  return (machine) => {
    machine.slots[slot] = joinOperands(machine.slots[slot] as Value, machine.pop(), decisive)
    machine.position = next.position
  }
}

/** Creates a step that initializes the accumulator from the stack. An empty list or map becomes mutable, so that it can grow in place. */
export function initialize(slot: number): Step {
  return (machine) => {
    const value = machine.pop()
    if (isList(value) && listSize(value) === 0) machine.slots[slot] = new MutableList()
    else machine.slots[slot] = isMap(value) && mapSize(value) === 0 ? new EntryMap() : value
  }
}

/** Creates a step that leaves the loop if the condition on the stack is false. The loop continues if the condition is an error. */
export function checkCondition(done: Label): Step {
  return (machine) => {
    if (machine.pop() === false) machine.position = done.position
  }
}

/** Creates a step that ends an iteration: it sets the accumulator from the stack and jumps to the next iteration. */
export function accumulate(slot: number, next: Label): Step {
  return (machine) => {
    machine.slots[slot] = machine.pop()
    machine.position = next.position
  }
}

/** Ends a loop. A list that the loop has built becomes immutable. */
export const endLoop: Step = (machine) => {
  const result = machine.stack.at(-1)
  if (result instanceof MutableList) machine.stack[machine.stack.length - 1] = result.items
}

/** Creates a step that resets a variable whose value is computed on first use. */
export function bindLater(slot: number): Step {
  return (machine) => {
    machine.slots[slot] = unset
  }
}

/** Creates a step that pushes the value of a macro variable. */
export function readLocal(slot: number, cost: number): Step {
  return (machine) => {
    machine.charge(cost)
    machine.push(machine.slots[slot] as Value)
  }
}

/**
 * Creates a step that pushes the value of a macro variable. On first use, the step calls the subroutine at `initialize`, which computes the
 * value, and then reads again.
 */
export function readBound(slot: number, cost: number, initialize_: Label): Step {
  return (machine) => {
    const value = machine.slots[slot]
    if (value === unset) callSubroutine(machine, initialize_)
    else {
      machine.charge(cost)
      machine.push(value as Value)
    }
  }
}

function callSubroutine(machine: Machine, { position }: Label): void {
  machine.returns.push(machine.position - 1)
  machine.position = position
}

/** Creates a step that ends the subroutine of `readBound`: it stores the value and returns. */
export function returnBound(slot: number): Step {
  return (machine) => {
    machine.slots[slot] = machine.pop()
    machine.position = machine.returns.pop()!
  }
}
