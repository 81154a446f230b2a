import { byteLength, quote } from '@keelson/apimachinery'

const hyphened = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i
const unhyphened = /^[0-9a-f]{32}$/i
const urnPrefix = 'urn:uuid:'
const invalidFormat = 'invalid UUID format'

/** Returns the error of Go's `uuid.Parse`; undefined if the string parses. */
export function findUuidFormatError(text: string): string | undefined {
  switch (byteLength(text)) {
    case 36:
      return hyphened.test(text) ? undefined : invalidFormat
    case 36 + urnPrefix.length: {
      const prefix = text.slice(0, urnPrefix.length)
      if (prefix.toLowerCase() !== urnPrefix) return `invalid urn prefix: ${quote(prefix)}`
      return hyphened.test(text.slice(urnPrefix.length)) ? undefined : invalidFormat
    }
    case 38:
      if (!text.startsWith('{') || !text.endsWith('}')) return 'invalid bracketed UUID format'
      return hyphened.test(text.slice(1, -1)) ? undefined : invalidFormat
    case 32:
      return unhyphened.test(text) ? undefined : invalidFormat
    default:
      return `invalid UUID length: ${byteLength(text)}`
  }
}
