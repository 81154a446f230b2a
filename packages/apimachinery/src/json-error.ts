import { quote } from './go-text.ts'

/** Thrown for invalid JSON and for JSON that does not match its type. The message matches Go's; the request handler adds context. */
export class JsonError extends Error {
  override readonly name = 'JsonError'
}

/** Returns whether the error is a `JsonError`. Compares names, because a package can be loaded twice. */
export function isJsonError(e: unknown): e is JsonError {
  return e instanceof Error && e.name === 'JsonError'
}

/** Builds a syntax error: `invalid character 'x' looking for beginning of value`. */
export function syntaxError(text: string, at: number, context: string): JsonError {
  return new JsonError(`invalid character ${quoteByte(at < text.length ? firstByte(text, at) : endOfText)} ${context}`)
}

/** Go reports the end of text within a token as a space. */
const endOfText = ' '

export function truncated(): JsonError {
  return new JsonError('unexpected end of JSON input')
}

/** Go reports bytes: for a non-ASCII character, the first byte of its UTF-8 form, printed as Latin-1. */
function firstByte(text: string, at: number): string {
  const code = text.codePointAt(at)!
  if (code < 0x80) return text[at]!
  if (code < 0x800) return String.fromCharCode(0xc0 | (code >> 6))
  if (code < 0x10000) return String.fromCharCode(0xe0 | (code >> 12))
  return String.fromCharCode(0xf0 | (code >> 18))
}

function quoteByte(char: string): string {
  if (char === "'") return "'\\''"
  if (char === '"') return `'"'`
  return `'${quote(char).slice(1, -1)}'`
}
