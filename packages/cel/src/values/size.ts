import { countCodePoints } from '../source.ts'
import { isList, listSize } from './list.ts'
import { isMap, mapSize } from './map.ts'
import { OpaqueValue, Optional } from './value.ts'
import type { Value } from './value.ts'
import { workload } from './workload.ts'

/** Number of characters that count as one unit of work. */
const charactersPerStep = 16

/** Returns the number of characters, bytes, elements or entries of a value; undefined for values without a size. */
export function getSize(value: Value): number | undefined {
  if (typeof value === 'string') return countCodePointsCached(value)
  if (typeof value !== 'object' || value === null) return undefined
  if (isList(value)) return listSize(value)
  if (value instanceof Uint8Array) return value.length
  if (value instanceof OpaqueValue) return value.size
  return isMap(value) ? mapSize(value) : undefined
}

let lastText = ''
let lastLength = 0

/** Returns the number of code points. The last long text and its length are cached, because cost tracking needs the length repeatedly. */
function countCodePointsCached(text: string): number {
  if (text.length < 256) return countCodePoints(text)
  if (text === lastText) return lastLength
  workload.read(text, charactersPerStep)
  lastLength = countCodePoints(text)
  lastText = text
  return lastLength
}

/** Returns the size that determines the cost of operators. The size of an optional is that of its content. */
export function getChargedSize(value: Value): number {
  if (value instanceof Optional) return value.value === undefined ? 1 : getChargedSize(value.value)
  return getSize(value) ?? 1
}
