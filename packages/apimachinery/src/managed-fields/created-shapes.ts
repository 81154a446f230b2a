import { isJsonObject } from '../json-value.ts'
import type { JsonValue } from '../meta.ts'
import { shareText } from '../go-text.ts'
import { equalsValue } from './path-element.ts'
import type { FieldSet } from './field-set.ts'
import { resolveType } from './merge-type.ts'
import type { MergeList, MergeMap, MergeType, TypedObject } from './merge-type.ts'

/** Step of a shape: a member name, the identity of a list item, or a marker. */
type Step = string | number | boolean | symbol

const end = Symbol('end')
const isNull = Symbol('null')
const absent = Symbol('absent')
const same = Symbol('same')
const other = Symbol('other')
const kindMarks = { scalar: Symbol('scalar'), list: Symbol('list'), map: Symbol('map') } as const

/** A node of the tree of shapes. Most nodes have only one child. */
class ShapeNode {
  fieldSet: FieldSet | undefined
  /** Type of the member that the last step names; null if it has no type. It can be cached, because the steps to this node determine it. */
  type: MergeType | null | undefined
  readonly #step: Step | undefined
  #only: ShapeNode | undefined
  #more: Map<Step, ShapeNode> | undefined

  constructor(step?: Step) {
    this.#step = step
  }

  get(step: Step): ShapeNode | undefined {
    const only = this.#only
    return only !== undefined && only.#step === step ? only : this.#more?.get(step)
  }

  add(step: Step): ShapeNode {
    const node = new ShapeNode(step)
    if (this.#only === undefined) this.#only = node
    else (this.#more ??= new Map()).set(step, node)
    return node
  }
}

/** The place of the cached field set of a shape. */
export type Shape = Pick<ShapeNode, 'fieldSet'>

/**
 * Returns the cached field set of a shape, or computes it. The result of `compute` must depend only on the empty object and the object of the
 * shape. Exceptions are not cached.
 */
export function findShapeSet(shape: Shape | undefined, compute: () => FieldSet): FieldSet {
  if (shape === undefined) return compute()
  if (shape.fieldSet === undefined) return (shape.fieldSet = compute())
  shareText(shape.fieldSet)
  return shape.fieldSet
}

/** Maximum number of cached nodes. It suffices for dozens of pods with different shapes. */
const maxNodes = 4096
/** Maximum length of strings in cached shapes. Longer strings are rare and not worth the memory. */
const maxText = 256

/**
 * Caches the field sets of created objects by shape. The shape of an object consists of the names of its members and the identities of its
 * list items. Values are not part of a field set, so all objects of one shape have the same set. Only few clients create objects of a kind,
 * so most of these objects have one of a few shapes.
 *
 * A shape is a path in a tree. The node at its end stores the field set:
 *
 *     {"metadata":{"labels":{"app":"web"}},"spec":{"containers":[{"name":"c","image":"i"}]}}
 *     metadata labels app end end spec containers "c" name image end end end end
 *
 * Every property of an object that affects its field set must be a step of its shape. `compareValuesOfType` defines these properties.
 */
export class CreatedShapes {
  readonly #empty: TypedObject
  #root: ShapeNode = new ShapeNode()
  #nodeCount = 0
  /** The node of the steps so far; undefined after a value whose shape is not cached. */
  #at: ShapeNode | undefined

  /** `empty` is the object with which created objects are compared. */
  constructor(empty: TypedObject) {
    this.#empty = empty
  }

  /** Returns the shape of an object; undefined if it is not cached. */
  shapeOf(object: TypedObject): Shape | undefined {
    if (this.#nodeCount >= maxNodes) {
      this.#root = new ShapeNode()
      this.#nodeCount = 0
    }
    this.#at = this.#root
    this.#value(object.type, this.#empty.value, object.value)
    return this.#at
  }

  #step(step: Step): void {
    const at = this.#at
    if (at === undefined) return
    if (typeof step === 'string' && step.length > maxText) {
      this.#at = undefined
      return
    }
    let next = at.get(step)
    // Adds no nodes when the cache is full, so that an object with many members cannot grow the cache further.
    if (next === undefined && this.#nodeCount < maxNodes) {
      next = at.add(step)
      this.#nodeCount++
    }
    this.#at = next
  }

  /** Records the steps of a value. `from` is the empty object's value at this path. */
  #value(type: TypedObject['type'], from: JsonValue | undefined, to: JsonValue): void {
    const resolved = resolveType(type, to)
    if (type.kind === 'any') this.#step(kindMarks[resolved.kind])
    const walked = isJsonObject(from) && type.kind === 'map' && !type.atomic
    if (from !== undefined && !walked) {
      this.#step(equalsValue(from, to) ? same : other)
      if (isFilled(from)) this.#at = undefined
    }
    if (resolved.kind === 'scalar') return
    if (to === null) this.#step(isNull)
    else if (resolved.kind === 'list') {
      if (resolved.relationship !== 'atomic') this.#items(resolved, to)
    } else if (!resolved.atomic) this.#members(resolved, walked ? from : undefined, to)
  }

  #members(type: MergeMap, from: Members | undefined, to: JsonValue): void {
    if (!isJsonObject(to)) {
      this.#at = undefined
      return
    }
    for (const name in to) {
      const member = to[name]
      if (member === undefined) continue
      this.#step(name)
      const node = this.#at
      if (node === undefined) return
      if (node.type === undefined) node.type = type.byName.get(name)?.type ?? type.values ?? null
      if (node.type !== null) this.#value(node.type, readMember(from, name), member)
    }
    this.#step(end)
  }

  #items(type: MergeList, list: JsonValue): void {
    if (!Array.isArray(list)) {
      this.#at = undefined
      return
    }
    for (const item of list) {
      if (type.relationship === 'set') this.#identity(item)
      else if (isJsonObject(item)) for (const { name } of type.keys) this.#identity(item[name])
      else this.#at = undefined
      if (this.#at === undefined) return
      this.#value(type.items, undefined, item)
    }
    this.#step(end)
  }

  #identity(value: JsonValue | undefined): void {
    if (value === undefined) this.#step(absent)
    else if (value === null) this.#step(isNull)
    else if (typeof value === 'string' || typeof value === 'boolean' || (Number.isSafeInteger(value) && value !== 0))
      this.#step(value as Step)
    else this.#at = undefined
  }
}

type Members = { readonly [name: string]: JsonValue }

/**
 * Reads a member of an object. This is a separate function, because reading one object by the keys of another inside a for-in loop makes V8
 * optimize and deoptimize repeatedly.
 */
function readMember(from: Members | undefined, name: string): JsonValue | undefined {
  return from !== undefined && Object.hasOwn(from, name) ? from[name] : undefined
}

/** Returns whether the empty object has members at this path. If it does, the shape is not cached. */
function isFilled(value: JsonValue): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0
}
