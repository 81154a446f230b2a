import { parseQuantity } from './quantity.ts'
import type { Quantity } from './quantity.ts'

/** Amounts by name: requests, limits, or what a quota counts. */
export type Quantities = ReadonlyMap<string, Quantity>

const zero = parseQuantity('0')

/** Reads a `v1.ResourceList`. */
export function parseQuantities(list: Readonly<Record<string, string>> | undefined): Quantities {
  return new Map(Object.entries(list ?? {}).map(([name, text]) => [name, parseQuantity(text)]))
}

export function addQuantities(a: Quantities, b: Quantities): Quantities {
  const sum = new Map(a)
  for (const [name, quantity] of b) sum.set(name, (sum.get(name) ?? zero).add(quantity))
  return sum
}
