import { EntryMap } from '../values/map.ts'
import { formatValue } from '../values/text.ts'
import { CelError, Optional, StructValue } from '../values/value.ts'
import type { Value } from '../values/value.ts'
import { replaceOperands } from './calls.ts'
import type { Label } from './label.ts'
import type { Step } from './machine.ts'
import { createListCost, createMapCost, createStructCost } from './runtime-cost.ts'

/**
 * Creates a step that checks that the value on the stack is optional. `below` is the number of earlier operands. `subject` is the key or
 * field in the error.
 */
export function requireOptional(subject: string | undefined, { below, cost, end }: { below: number; cost: number; end: Label }): Step {
  return (machine) => {
    const value = machine.stack.at(-1)!
    if (value instanceof Optional) return
    const key = subject === '' ? formatValue(machine.stack.at(-2)!) : subject
    const target = key === undefined ? 'list element' : `entry '${key}'`
    const result = new CelError(`cannot initialize optional ${target} from non-optional value ${formatValue(value)}`)
    replaceOperands(machine, { count: below + 1, result, cost, end })
  }
}

/** Creates a step that builds a list of the values on the stack. Absent optional elements are left out. */
export function buildList(count: number, optional: ReadonlySet<number>): Step {
  return (machine) => {
    const items = machine.stack.splice(machine.stack.length - count, count)
    machine.charge(createListCost)
    machine.push(optional.size === 0 ? items : withoutAbsent(items, optional))
  }
}

function withoutAbsent(items: readonly Value[], optional: ReadonlySet<number>): readonly Value[] {
  const elements: Value[] = []
  for (const [i, item] of items.entries()) {
    const value = optional.has(i) && item instanceof Optional ? item.value : item
    if (value !== undefined) elements.push(value)
  }
  return elements
}

/** Creates a step that builds a map of the keys and values on the stack. */
export function buildMap(optional: readonly boolean[]): Step {
  return (machine) => {
    const operands = machine.stack.splice(machine.stack.length - optional.length * 2, optional.length * 2)
    machine.charge(createMapCost)
    machine.push(createMap(operands, optional))
  }
}

export function createMap(keysAndValues: readonly Value[], optional: readonly boolean[]): Value {
  const map = new EntryMap()
  for (const [i, isOptional] of optional.entries()) {
    const key = keysAndValues[i * 2]!
    const value = unwrapOptional(keysAndValues[i * 2 + 1]!, isOptional)
    if (value === undefined) map.delete(key)
    else map.set(key, value)
  }
  return map
}

/** Creates a step that builds a message of the values on the stack. */
export function buildStruct(typeName: string, fields: readonly { readonly name: string; readonly optional: boolean }[]): Step {
  return (machine) => {
    const values = machine.stack.splice(machine.stack.length - fields.length, fields.length)
    machine.charge(createStructCost)
    const members = new Map<string, Value>()
    for (const [i, { name, optional }] of fields.entries()) {
      const value = unwrapOptional(values[i]!, optional)
      if (value === undefined) members.delete(name)
      else members.set(name, value)
    }
    machine.push(new StructValue(typeName, members))
  }
}

function unwrapOptional(value: Value, isOptional: boolean): Value | undefined {
  return isOptional && value instanceof Optional ? value.value : value
}
