import { codePoints } from '../source.ts'
import { isList, listSize } from './list.ts'
import { isMap, mapSize } from './map.ts'
import { OpaqueValue, Optional } from './value.ts'
import type { Value } from './value.ts'
import { workload } from './workload.ts'

/** Characters counted per unit of work. */
const charactersPerStep = 16

/** Returns the number of characters, bytes, elements or entries; undefined for values without a size. */
export function sizeOfValue(value: Value): number | undefined {
  if (typeof value === 'string') return lengthOf(value)
  if (typeof value !== 'object' || value === null) return undefined
  if (isList(value)) return listSize(value)
  if (value instanceof Uint8Array) return value.length
  if (value instanceof OpaqueValue) return value.size
  return isMap(value) ? mapSize(value) : undefined
}

let lastText = ''
let lastLength = 0

/** Counts code points. Remembers the last long text, because cost tracking asks again. */
function lengthOf(text: string): number {
  if (text.length < 256) return codePoints(text)
  if (text === lastText) return lastLength
  workload.read(text, charactersPerStep)
  lastLength = codePoints(text)
  lastText = text
  return lastLength
}

/** The size that operators are charged for: that of an optional value is its value's. */
export function chargedSize(value: Value): number {
  if (value instanceof Optional) return value.value === undefined ? 1 : chargedSize(value.value)
  return sizeOfValue(value) ?? 1
}
