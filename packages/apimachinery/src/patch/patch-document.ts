import { copyObject } from '../json-value.ts'
import type { JsonValue } from '../meta.ts'
import { setOwn } from '../set-own.ts'

export type JsonContainer = JsonValue[] | JsonMembers

type JsonMembers = { [key: string]: JsonValue }

/** A document with copy-on-write: a container is copied before its first change. `owned` contains the copies, which may be modified. */
export class PatchDocument {
  root: JsonValue
  private readonly owned = new WeakSet<object>()
  private readonly passed: Set<JsonValue> | undefined

  /** Creates a document for operations. Adds to `passed` each container that the path of an operation visits. */
  constructor(root: JsonValue, passed?: Set<JsonValue>) {
    this.root = root
    this.passed = passed
  }

  /** Returns the container at this path as a copy that may be modified; undefined if there is no container at this path. */
  writable(steps: readonly string[]): JsonContainer | undefined {
    if (!isContainer(this.root)) return undefined
    let container: JsonContainer = this.copyForWrite(this.root)
    this.root = container
    for (const step of steps) {
      const next: JsonValue | undefined = readMember(container, step)
      if (!isContainer(next)) return undefined
      const copy = this.copyForWrite(next)
      if (copy !== next) writeMember(container, step, copy)
      container = copy
    }
    return container
  }

  /** Returns the container at this path, which must not be modified; undefined if there is no container at this path. */
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

  /** Copies a value deeply. If `passed` contains a container of the value, its copy is added too. */
  copyOnce(value: JsonValue): JsonValue {
    const copy = copyObject(value)
    if (this.passed !== undefined) passCopy(this.passed, value, copy)
    return copy
  }

  /** Adds a container and all containers below it to `passed`. */
  pass(value: JsonValue): void {
    if (this.passed === undefined || !isContainer(value)) return
    this.passed.add(value)
    for (const member of Object.values(value)) this.pass(member)
  }

  private copyForWrite(container: JsonContainer): JsonContainer {
    this.passed?.add(container)
    if (this.owned.has(container)) return container
    const copy = Array.isArray(container) ? [...container] : copyMembers(container)
    this.owned.add(copy)
    this.passed?.add(copy)
    return copy
  }
}

/** Adds the copies of visited containers to `passed`. Stops at a container that was not visited, because no container below it was visited either. */
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

/** Returns the member of an object or the item of a list; undefined if it does not exist or the index is invalid. */
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

/** Parses an integer like Go's strconv.Atoi. Returns undefined for other text. */
export function parseIndex(step: string): number | undefined {
  if (!/^[+-]?[0-9]+$/.test(step)) return undefined
  const index = Number(step)
  return Number.isSafeInteger(index) ? index : undefined
}
