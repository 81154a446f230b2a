import { newBadRequest, parseInt64, quote } from '@keelson/apimachinery'

/**
 * Parses an annotation that stores an int64 field of another API version. Returns the canonical decimal. Throws BadRequest if the text is
 * not an integer.
 */
export function parseNumberAnnotation(kind: string, text: string, describeError: (reason: string) => string = (reason) => reason): string {
  const number = parseInt64(text)
  if (number !== undefined) return String(number)
  const reason = /^[+-]?[0-9]+$/.test(text) ? 'value out of range' : 'invalid syntax'
  const message = describeError(`strconv.ParseInt: parsing ${quote(text)}: ${reason}`)
  throw newBadRequest(`${kind} in version "v1" cannot be handled as a ${kind}: ${message}`)
}
