import { isJsonObject } from '../json-value.ts'
import type { JsonValue } from '../meta.ts'
import { shareText } from '../go-text.ts'
import { equalValues } from './path-element.ts'
import type { FieldSet } from './field-set.ts'
import { resolveType } from './merge-type.ts'
import type { MergeList, MergeMap, MergeType, TypedObject } from './merge-type.ts'

/** A member name, a list item's identity, or a marker. */
type Step = string | number | boolean | symbol

const end = Symbol('end')
const isNull = Symbol('null')
const absent = Symbol('absent')
const same = Symbol('same')
const other = Symbol('other')
const kindMarks = { scalar: Symbol('scalar'), list: Symbol('list'), map: Symbol('map') } as const

/** A node of the tree of shapes. Nearly all nodes have one child. */
class ShapeNode {
  fieldSet: FieldSet | undefined
  /** Type of the member that the last step names; null if it has no type. Cached, because steps determine types. */
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

/** Maximum number of cached nodes: enough for dozens of pods of different shapes. */
const maxNodes = 4096
/** Shapes with longer strings are not cached: they are rare and not worth the memory. */
const maxText = 256

/**
 * Caches the field set of creations by the object's shape: the names of its members and the identities of its list items. Values are not
 * part of a set, so objects of one shape share one set. Most objects of a kind have one of a few shapes, because few clients create them.
 *
 * A shape is a path through a tree; the set is stored at its end:
 *
 *     {"metadata":{"labels":{"app":"web"}},"spec":{"containers":[{"name":"c","image":"i"}]}}
 *     metadata labels app end end spec containers "c" name image end end end end
 *
 * Everything a set depends on must be a step: see `compareValuesOfType`.
 */
export class CreatedShapes {
  readonly #empty: TypedObject
  #root: ShapeNode = new ShapeNode()
  #nodeCount = 0
  /** The current node; undefined after a value whose shape is not cached. */
  #at: ShapeNode | undefined

  /** `empty` is the object that creations are compared with. */
  constructor(empty: TypedObject) {
    this.#empty = empty
  }

  /**
   * Returns the cached set of an object's shape, or computes it. `compute` must only depend on the empty object and `object`. Exceptions
   * are not cached.
   */
  setOf(object: TypedObject, compute: () => FieldSet): FieldSet {
    if (this.#nodeCount >= maxNodes) {
      this.#root = new ShapeNode()
      this.#nodeCount = 0
    }
    this.#at = this.#root
    this.#value(object.type, this.#empty.value, object.value)
    const node = this.#at
    if (node === undefined) return compute()
    if (node.fieldSet === undefined) return (node.fieldSet = compute())
    shareText(node.fieldSet)
    return node.fieldSet
  }

  #step(step: Step): void {
    const at = this.#at
    if (at === undefined) return
    if (typeof step === 'string' && step.length > maxText) {
      this.#at = undefined
      return
    }
    let next = at.get(step)
    // Stops at the cache's limit, so that an object with many members costs no more.
    if (next === undefined && this.#nodeCount < maxNodes) {
      next = at.add(step)
      this.#nodeCount++
    }
    this.#at = next
  }

  /** `from` is the empty object's value at this path. */
  #value(type: TypedObject['type'], from: JsonValue | undefined, to: JsonValue): void {
    const resolved = resolveType(type, to)
    if (type.kind === 'any') this.#step(kindMarks[resolved.kind])
    const walked = isJsonObject(from) && type.kind === 'map' && !type.atomic
    if (from !== undefined && !walked) {
      this.#step(equalValues(from, to) ? same : other)
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
      if (node.type !== null) this.#value(node.type, memberOf(from, name), member)
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
 * Reads a member. A function of its own, because reading one object by the keys of another inside for-in makes V8 optimize and deoptimize
 * repeatedly.
 */
function memberOf(from: Members | undefined, name: string): JsonValue | undefined {
  return from !== undefined && Object.hasOwn(from, name) ? from[name] : undefined
}

/** Returns whether the empty object has members at this path. Shapes with such members are not cached. */
function isFilled(value: JsonValue): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0
}
