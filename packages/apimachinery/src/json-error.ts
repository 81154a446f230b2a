import { quote } from './go-text.ts'

/** Thrown for invalid JSON, and for JSON that does not match its type. The message matches Go's. The request handler adds context to it. */
export class JsonError extends Error {
  override readonly name = 'JsonError'
}

/** Returns whether a thrown value is a `JsonError`. Compares the name of the class, because two copies of this package may be loaded. */
export function isJsonError(e: unknown): e is JsonError {
  return e instanceof Error && e.name === 'JsonError'
}

/** Builds a syntax error, such as `invalid character 'x' looking for beginning of value`. */
export function newSyntaxError(text: string, at: number, context: string): JsonError {
  return new JsonError(`invalid character ${quoteByte(at < text.length ? describeFirstByte(text, at) : endOfText)} ${context}`)
}

/** Character that Go reports for the end of the text within a token. */
const endOfText = ' '

export function newUnexpectedEnd(): JsonError {
  return new JsonError('unexpected end of JSON input')
}

/** Returns the first UTF-8 byte of the character at `at`, as a Latin-1 character. Go reports bytes instead of characters. */
function describeFirstByte(text: string, at: number): string {
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
