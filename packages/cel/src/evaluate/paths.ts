import { adapt, BoxedValue, isJsonRecord } from '../values/value.ts'
import { Lazy } from './activation.ts'
import type { Label } from './label.ts'
import type { Machine, Step } from './machine.ts'

/** A variable followed by constant fields, for example `object.metadata.labels`. */
export interface Path {
  /** The name of the variable, or the memory slot of a comprehension's variable. */
  readonly variable: string | number
  readonly fields: readonly string[]
  /** Whether `has()` tests the last field. */
  readonly isTest: boolean
  /** Total cost of the steps that this step replaces. Each of them costs 1. */
  readonly cost: number
}

/**
 * Creates a step that reads a path through decoded JSON at once and jumps to `after`. Returns undefined for a variable whose name every
 * object inherits. In all other cases, for example if a field is absent, the step has no effect. The steps that follow then read the path one
 * field at a time, and only they define the errors and costs.
 */
export function readPath({ variable, fields, isTest, cost }: Path, after: Label): Step | undefined {
  if (variable in Object.prototype) return undefined
  const count = fields.length
  const follow = (machine: Machine, start: unknown): void => {
    if (!machine.canCharge(cost)) return
    let value = start
    for (let i = 0; ; i++) {
      if (value instanceof BoxedValue) {
        if (!(value instanceof Lazy) || (isTest && i === count)) return
        value = value.value()
        if (value instanceof BoxedValue || value instanceof Promise) return
      }
      if (i === count) break
      if (!isJsonRecord(value)) return
      const field = fields[i]!
      const member: unknown = value[field]
      if (member !== undefined && !Object.hasOwn(value, field)) return
      value = member
    }
    if (isTest) machine.stack.push(value !== undefined)
    else if (value === undefined) return
    else machine.stack.push(adapt(value))
    machine.cost += cost
    machine.position = after.position
  }
  return typeof variable === 'number'
    ? (machine) => follow(machine, machine.slots[variable])
    : (machine) => follow(machine, machine.activation[variable])
}
