import { parseQuantity } from '@keelson/apimachinery'
import { ProtoError } from './proto-error.ts'

const maxCached = 1024
const cache = new Map<string, string>()

/** A quantity as the original would write it again. Objects repeat a few spellings over and over, so those are remembered. */
export function canonicalQuantity(text: string): string {
  let canonical = cache.get(text)
  if (canonical === undefined) {
    try {
      canonical = parseQuantity(text).toString()
    } catch (error) {
      throw new ProtoError(`${JSON.stringify(text)} is no quantity`, { cause: error })
    }
    if (cache.size >= maxCached) cache.clear()
    if (text.length <= 32) cache.set(text, canonical)
  }
  return canonical
}
