import { adapt, BoxedValue } from './value.ts'
import type { Value } from './value.ts'
import { workload } from './workload.ts'

/** Base class of lists that are not arrays. */
export abstract class CelList extends BoxedValue {
  abstract readonly size: number

  abstract get(index: number): Value
}

/** The concatenation of two lists. It refers to both without copying, so that repeated concatenation takes little memory. */
export class ConcatList extends CelList {
  readonly size: number
  readonly #first: ListValue
  readonly #second: ListValue
  /** Array of all elements, created on first access. */
  #items: readonly Value[] | undefined

  constructor(first: ListValue, second: ListValue) {
    super()
    this.#first = first
    this.#second = second
    this.size = listSize(first) + listSize(second)
  }

  get(index: number): Value {
    if (this.size <= maxFlatSize) return (this.#items ??= this.#flat())[index]!
    const firstSize = listSize(this.#first)
    return index < firstSize ? getElement(this.#first, index) : getElement(this.#second, index - firstSize)
  }

  /** Returns an array of all elements. Nested concatenations are visited without recursion, because the chain can be long. */
  #flat(): readonly Value[] {
    const items: Value[] = []
    const pending: ListValue[] = [this]
    for (let part = pending.pop(); part !== undefined; part = pending.pop()) {
      if (part instanceof ConcatList && part.#items === undefined) pending.push(part.#second, part.#first)
      else for (let i = 0; i < listSize(part); i++) items.push(getElement(part, i))
    }
    return items
  }
}

/** Maximum size of concatenations that become arrays on first access. */
const maxFlatSize = 1_000_000

/** The accumulator of a comprehension that builds a list. It grows in place and becomes an array at the end. */
export class MutableList extends CelList {
  readonly items: Value[] = []

  get size(): number {
    return this.items.length
  }

  get(index: number): Value {
    return this.items[index]!
  }
}

export type ListValue = readonly unknown[] | CelList

export function isList(value: unknown): value is ListValue {
  return Array.isArray(value) || value instanceof CelList
}

export function listSize(list: ListValue): number {
  return list instanceof CelList ? list.size : list.length
}

export function getElement(list: ListValue, index: number): Value {
  return list instanceof CelList ? list.get(index) : adapt(list[index])
}

/** Returns all elements of a list as CEL values. */
export function listElements(list: ListValue): readonly Value[] {
  workload.add(listSize(list))
  return Array.from({ length: listSize(list) }, (_, i) => getElement(list, i))
}
