import { copyObject } from '../copy-object.ts'
import type { JsonValue } from '../meta.ts'
import { setOwn } from '../json-reader.ts'

export type JsonContainer = JsonValue[] | JsonMembers

type JsonMembers = { [key: string]: JsonValue }

/**
 * A document under change that leaves its input alone: containers are copied the first time something below them changes,
 * and `owned` are the copies, which nobody else can see.
 */
export class PatchDocument {
  root: JsonValue
  private readonly owned = new WeakSet<object>()
  private readonly passed: Set<JsonValue> | undefined

  /** `passed` gets the containers that pointers go through, as they are then. */
  constructor(root: JsonValue, passed?: Set<JsonValue>) {
    this.root = root
    this.passed = passed
  }

  /** The container a pointer's last step is in, ready to be changed; undefined when there is none. */
  writable(steps: readonly string[]): JsonContainer | undefined {
    if (!isContainer(this.root)) return undefined
    let container: JsonContainer = this.own(this.root)
    this.root = container
    for (const step of steps) {
      const next: JsonValue | undefined = readMember(container, step)
      if (!isContainer(next)) return undefined
      const copy = this.own(next)
      if (copy !== next) writeMember(container, step, copy)
      container = copy
    }
    return container
  }

  /** The same for looking only. */
  readable(steps: readonly string[]): JsonContainer | undefined {
    let container: JsonValue | undefined = this.root
    for (const step of steps) {
      if (!isContainer(container)) return undefined
      this.passed?.add(container)
      container = readMember(container, step)
    }
    if (!isContainer(container)) return undefined
    this.passed?.add(container)
    return container
  }

  /** A deep copy, of which is passed what is passed of the value. */
  copyOf(value: JsonValue): JsonValue {
    const copy = copyObject(value)
    if (this.passed !== undefined) passCopy(this.passed, value, copy)
    return copy
  }

  /** All of a value was looked at. */
  pass(value: JsonValue): void {
    if (this.passed === undefined || !isContainer(value)) return
    this.passed.add(value)
    for (const member of Object.values(value)) this.pass(member)
  }

  private own(container: JsonContainer): JsonContainer {
    this.passed?.add(container)
    if (this.owned.has(container)) return container
    const copy = Array.isArray(container) ? [...container] : copyMembers(container)
    this.owned.add(copy)
    this.passed?.add(copy)
    return copy
  }
}

/** What was not gone through has nothing below it that was. */
function passCopy(passed: Set<JsonValue>, value: JsonValue, copy: JsonValue): void {
  if (!passed.has(value) || !isContainer(value) || !isContainer(copy)) return
  passed.add(copy)
  for (const key of Object.keys(value)) passCopy(passed, readMember(value, key)!, readMember(copy, key)!)
}

export function isContainer(value: JsonValue | undefined): value is JsonContainer {
  return typeof value === 'object' && value !== null
}

function copyMembers(object: { [key: string]: JsonValue }): { [key: string]: JsonValue } {
  const copy: { [key: string]: JsonValue } = {}
  for (const key in object) setOwn(copy, key, object[key])
  return copy
}

/** On the way to a target: an index that is none, or out of range, is simply not there. */
export function readMember(container: JsonContainer, step: string): JsonValue | undefined {
  if (!Array.isArray(container)) return Object.hasOwn(container, step) ? container[step] : undefined
  const index = parseIndex(step)
  return index === undefined ? undefined : container[index < 0 ? index + container.length : index]
}

function writeMember(container: JsonContainer, step: string, value: JsonValue): void {
  if (!Array.isArray(container)) setOwn(container, step, value)
  else {
    const index = parseIndex(step)!
    container[index < 0 ? index + container.length : index] = value
  }
}

/** strconv.Atoi. */
export function parseIndex(step: string): number | undefined {
  if (!/^[+-]?[0-9]+$/.test(step)) return undefined
  const index = Number(step)
  return Number.isSafeInteger(index) ? index : undefined
}
