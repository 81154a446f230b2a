import { parseQuantity } from '@keelson/apimachinery'
import type { Quantities } from '@keelson/apimachinery'

const zero = parseQuantity('0')

/** Returns what usage grew by. Decreases count as zero: the freed amount may already be in use by others. */
export function increaseOf(now: Quantities, before: Quantities): Quantities {
  const more = [...now].map(([name, amount]) => [name, amount.sub(before.get(name) ?? zero)] as const)
  return new Map(more.filter(([, amount]) => amount.sign() > 0))
}

export function pickAmounts(amounts: Quantities, names: Iterable<string>): Quantities {
  const wanted = new Set(names)
  return new Map([...amounts].filter(([name]) => wanted.has(name)))
}

export function withoutZeros(amounts: Quantities): Quantities {
  return new Map([...amounts].filter(([, amount]) => !amount.isZero()))
}

/** Formats as "limits.cpu=2,pods=1". */
export function amountsText(amounts: Quantities): string {
  return [...amounts.keys()]
    .toSorted()
    .map((name) => `${name}=${String(amounts.get(name))}`)
    .join(',')
}
