import type { Constant } from '../ast.ts'
import type { Token } from './token.ts'

const int64 = { least: -(2n ** 63n), most: 2n ** 63n - 1n }
const maxUint64 = 2n ** 64n - 1n

const escapes: Readonly<Record<string, number>> = {
  a: 7,
  b: 8,
  f: 12,
  n: 10,
  r: 13,
  t: 9,
  v: 11,
  '\\': 0x5c,
  "'": 0x27,
  '"': 0x22,
  '`': 0x60,
  '?': 0x3f,
}

/** Returns the constant of a literal, or an error message. */
export function parseConstant({ name, text }: Token, negative: boolean): Constant | string {
  switch (name) {
    case "'true'":
    case "'false'":
      return { type: 'bool', value: name === "'true'" }
    case 'NUM_INT': {
      const value = negative ? -BigInt(text) : BigInt(text)
      return value < int64.least || value > int64.most ? 'invalid int literal' : { type: 'int', value }
    }
    case 'NUM_UINT': {
      const value = BigInt(text.slice(0, -1))
      return value > maxUint64 ? 'invalid uint literal' : { type: 'uint', value }
    }
    case 'NUM_FLOAT': {
      const value = Number(text)
      return Number.isFinite(value) ? { type: 'double', value: negative ? -value : value } : 'invalid double literal'
    }
    case 'STRING': {
      const value = decodeString(text)
      return value === undefined ? 'invalid unicode code point' : { type: 'string', value }
    }
    case 'BYTES': {
      const value = decodeBytes(text.slice(1))
      return value === undefined ? 'unable to unescape string' : { type: 'bytes', value }
    }
    default:
      return { type: 'null', value: null }
  }
}

interface Quoted {
  readonly content: string
  readonly isRaw: boolean
}

function splitQuoted(text: string): Quoted {
  const isRaw = /^[rR]/.test(text)
  const lines = text.slice(isRaw ? 1 : 0).replaceAll(/\r\n?/g, '\n')
  const width = lines.length >= 6 && (lines.startsWith('"""') || lines.startsWith("'''")) ? 3 : 1
  return { content: lines.slice(width, -width), isRaw }
}

const escaped = /\\(?:[xX]([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-3][0-7]{2})|(.))/gsu

/** Decodes a string literal; undefined if an escape is not a valid code point. */
function decodeString(text: string): string | undefined {
  const { content, isRaw } = splitQuoted(text)
  if (isRaw) return content
  let valid = true
  const value = content.replaceAll(escaped, (_, hex?: string, four?: string, eight?: string, octal?: string, letter?: string) => {
    if (letter !== undefined) return String.fromCodePoint(escapes[letter] ?? 0)
    const code = octal === undefined ? Number.parseInt(hex ?? four ?? eight ?? '', 16) : Number.parseInt(octal, 8)
    if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) valid = false
    return valid ? String.fromCodePoint(code) : ''
  })
  return valid ? value : undefined
}

/** Decodes a bytes literal; undefined if an escape is only valid in strings. */
function decodeBytes(text: string): Uint8Array | undefined {
  const { content, isRaw } = splitQuoted(text)
  if (isRaw) return Buffer.from(content)
  const bytes: Buffer[] = []
  let from = 0
  for (const match of content.matchAll(escaped)) {
    const [escape, hex, four, eight, octal, letter] = match
    if (four !== undefined || eight !== undefined) return undefined
    bytes.push(Buffer.from(content.slice(from, match.index)))
    const code = letter === undefined ? Number.parseInt(hex ?? octal ?? '', hex === undefined ? 8 : 16) : (escapes[letter] ?? 0)
    bytes.push(Buffer.of(code))
    from = match.index + escape.length
  }
  return Buffer.concat([...bytes, Buffer.from(content.slice(from))])
}
