import { adapt } from './value.ts'
import type { Value } from './value.ts'
import { workload } from './workload.ts'

/** A list that is not an array. */
export abstract class CelList {
  abstract readonly size: number

  abstract get(index: number): Value
}

/** Two lists in a row. Not copied, so that repeated concatenation takes little memory. */
export class ConcatList extends CelList {
  readonly size: number
  readonly #first: ListValue
  readonly #second: ListValue
  /** All elements, after the first access. */
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
    return index < firstSize ? elementAt(this.#first, index) : elementAt(this.#second, index - firstSize)
  }

  /** Visits the parts without recursion: a chain of concatenations can be long. */
  #flat(): readonly Value[] {
    const items: Value[] = []
    const parts: ListValue[] = [this]
    for (let part = parts.pop(); part !== undefined; part = parts.pop()) {
      if (part instanceof ConcatList && part.#items === undefined) parts.push(part.#second, part.#first)
      else for (let i = 0; i < listSize(part); i++) items.push(elementAt(part, i))
    }
    return items
  }
}

/** Concatenations up to this size become arrays on first access. */
const maxFlatSize = 1_000_000

/** The accumulator of a comprehension that builds a list. Grows in place; becomes an array at the end. */
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

export function elementAt(list: ListValue, index: number): Value {
  return list instanceof CelList ? list.get(index) : adapt(list[index])
}

/** Returns all elements, converted. */
export function elementsOf(list: ListValue): readonly Value[] {
  workload.add(listSize(list))
  return Array.from({ length: listSize(list) }, (_, i) => elementAt(list, i))
}
