import { parseQuantity } from '@keelson/apimachinery'
import { ProtoError } from './proto-error.ts'

const maxCached = 1024
const cache = new Map<string, string>()

/** Canonicalizes a quantity as kube-apiserver does when it encodes. Cached, because objects repeat a few spellings. */
export function canonicalQuantity(text: string): string {
  let canonical = cache.get(text)
  if (canonical === undefined) {
    try {
      canonical = parseQuantity(text).toString()
    } catch (error) {
      throw new ProtoError(`invalid quantity ${JSON.stringify(text)}`, { cause: error })
    }
    if (cache.size >= maxCached) cache.clear()
    if (text.length <= 32) cache.set(text, canonical)
  }
  return canonical
}
