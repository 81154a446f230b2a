import { newBadRequest, parseInt64, quote } from '@keelson/apimachinery'

/** An annotation that stands for a number of another version, in the form that the number would be written in. Throws BadRequest. */
export function parseNumberAnnotation(kind: string, text: string, explain: (reason: string) => string = (reason) => reason): string {
  const number = parseInt64(text)
  if (number !== undefined) return String(number)
  const reason = /^[+-]?[0-9]+$/.test(text) ? 'value out of range' : 'invalid syntax'
  const message = explain(`strconv.ParseInt: parsing ${quote(text)}: ${reason}`)
  throw newBadRequest(`${kind} in version "v1" cannot be handled as a ${kind}: ${message}`)
}
