import { ConcatList, listElements } from '../values/list.ts'
import { PreservedValue, SchemaList, SchemaMap } from '../values/schema-value.ts'
import { adapt, CelError, none, OpaqueValue, Optional, TypeValue } from '../values/value.ts'
import type { Value } from '../values/value.ts'
import { createAbsentError, createInvalidKeyError, isIndexKey, lookUp } from './access.ts'
import { Lazy } from './activation.ts'
import type { Label } from './label.ts'
import type { Machine, Step } from './machine.ts'

/** A field selection or an index within a chain such as `a.b[c].?d`. */
export interface Access {
  readonly isOptional: boolean
  /** True for the last field of `has()`. */
  readonly isTest: boolean
  /** Whether `has()` of an optional returns the optional member. This is so in branches of `?:` and in keys, as in cel-go. */
  readonly keepsOptional: boolean
}

/**
 * Creates a step that accesses a constant member of the value on the stack. A chain ends at its first error, and an optional chain at its
 * first absent member. Each access costs 1, except for absent members of optional chains.
 */
export function accessConstant(key: Value, { isOptional, isTest, keepsOptional }: Access, end: Label): Step {
  const isTestOnly = isTest && !keepsOptional
  return (machine) => {
    const value = machine.pop()
    if (value instanceof CelError) machine.push(value)
    else if (isOptional || value instanceof Optional) {
      if (accessOptional(machine, value, key, isTestOnly)) return
    } else {
      machine.charge(1)
      const member = lookUp(value, key)
      if (isTest) machine.push(member instanceof CelError ? member : member !== undefined)
      else if (member instanceof Lazy) machine.pushLater(member.value())
      else machine.push(member === undefined ? createAbsentError(value, key) : member)
      if (!(member instanceof CelError) && member !== undefined) return
    }
    machine.position = end.position
  }
}

/** Creates a step that accesses a member of the value on the stack. The key is on top of the stack. */
export function accessComputed({ isOptional, isTest }: Access, end: Label): Step {
  return (machine) => {
    const key = machine.pop()
    const value = machine.pop()
    const isWithin = isOptional || value instanceof Optional
    if (key instanceof CelError || !isIndexKey(key)) {
      if (!isWithin) machine.charge(1)
      machine.push(key instanceof CelError ? key : createInvalidKeyError(key))
    } else if (isWithin) {
      if (accessOptional(machine, value, key, isTest)) return
    } else {
      machine.charge(1)
      const member = lookUp(value, key)
      machine.push(member === undefined ? createAbsentError(value, key) : member)
      if (!(member instanceof CelError) && member !== undefined) return
    }
    machine.position = end.position
  }
}

/** Replaces the value on the stack by its optional member. Returns whether the chain continues. */
function accessOptional(machine: Machine, value: Value, key: Value, isTest: boolean): boolean {
  const within = value instanceof Optional ? value.value : value
  const member = within === undefined ? undefined : lookUp(within, key)
  if (member === undefined || member instanceof CelError) {
    machine.push(member instanceof CelError ? member : isTest ? false : none)
    return false
  }
  machine.charge(1)
  machine.push(isTest ? true : new Optional(member))
  return true
}

/** Creates a step that skips the rest of a chain, including the computation of a key, after an error or an absent member. */
export function skipKey(end: Label): Step {
  return (machine) => {
    const value = machine.stack.at(-1)!
    if (value instanceof CelError || (value instanceof Optional && value.value === undefined)) machine.position = end.position
  }
}

/**
 * Simulates how cel-go reads a variable or the result of `?:`. If the value is optional, cel-go converts its content to a native Go value
 * and back. That merges nested optionals into one, and turns quantities and addresses into errors.
 */
function reread(value: Value): Value {
  return value instanceof Optional && value.value !== undefined ? new Optional(fromNative(value.value)) : value
}

function fromNative(value: Value): Value {
  if (value instanceof Optional) return value.value === undefined ? null : fromNative(value.value)
  if (value instanceof OpaqueValue) return value.reread()
  if (value instanceof TypeValue) return value.name
  if (value instanceof SchemaMap || value instanceof SchemaList || value instanceof PreservedValue) return adapt(value.raw)
  return value instanceof ConcatList ? listElements(value).map(fromNative) : value
}

/** Applies `reread` to the value on the stack. */
export function rereadTop(machine: Machine): void {
  const value = machine.stack.at(-1)
  if (value instanceof Optional) machine.stack[machine.stack.length - 1] = reread(value)
}
