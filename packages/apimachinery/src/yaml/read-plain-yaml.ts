import { setOwn } from '../set-own.ts'
import type { JsonObject, JsonValue } from '../meta.ts'
import { trimRight } from '../trim.ts'
import { notPlain } from './not-plain.ts'
import { blockHeader, readBlockScalar, countSpaces } from './plain-block-scalar.ts'
import { readPlainFlow } from './plain-flow.ts'
import { readPlainScalar } from './plain-scalar.ts'
import { resolveScalar } from './resolve-scalar.ts'

/** A line of the text that is not blank and not a comment. */
interface Line {
  readonly indent: number
  readonly content: string
}

const keyAndRest = /^([A-Za-z_][\w./-]*):(?: +(.*))?$/s
const quotedKeyAndRest = /^"([\w][\w./-]*)":(?: +(.*))?$/s
const maxDepth = 100
/**
 * Matches characters that the fast reader does not support: line breaks other than line feeds, control characters, unpaired surrogates and byte
 * order marks.
 */
// oxlint-disable-next-line no-control-regex
const unsupportedCharacter = /[^\n\t\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd]/

/**
 * Reads the usual subset of YAML: block maps and lists, simple keys, scalars and brackets on one line, and block scalars. Much faster than the
 * full parser. Returns undefined for any other text. For invalid text, the full parser then reports the error.
 */
export function readPlainYaml(text: string): JsonValue | undefined {
  if (unsupportedCharacter.test(text)) return undefined
  try {
    return new PlainReader(text.split('\n')).document()
  } catch (error) {
    if (error === notPlain) return undefined
    throw error
  }
}

class PlainReader {
  readonly #lines: readonly string[]
  /** Index of the line after the current one. */
  #at = 0
  #line: Line | undefined

  constructor(lines: readonly string[]) {
    this.#lines = lines
  }

  document(): JsonValue {
    this.#advance()
    if (this.#line?.content === '---' && this.#line.indent === 0) this.#advance()
    if (this.#line === undefined || this.#line.indent !== 0) throw notPlain
    const value = this.#block(0, 0)
    if (this.#line !== undefined) throw notPlain
    return value
  }

  /** Moves to the next line that has content. */
  #advance(): void {
    while (this.#at < this.#lines.length) {
      const line = this.#lines[this.#at++]!
      const indent = countSpaces(line)
      if (indent === line.length || line.charCodeAt(indent) === 0x23) continue
      this.#line = { indent, content: trimRight(line.slice(indent), ' ') }
      return
    }
    this.#line = undefined
  }

  #block(indent: number, depth: number): JsonValue {
    if (depth > maxDepth) throw notPlain
    const { content } = this.#line!
    return isItem(content) ? this.#list(indent, depth) : this.#map(content, indent, depth)
  }

  #list(indent: number, depth: number): JsonValue[] {
    const items: JsonValue[] = []
    while (this.#line?.indent === indent && isItem(this.#line.content)) {
      const line = this.#line.content
      const content = line.slice(1).replace(/^ +/, '')
      // A list in a list on the same line (`- - a`) is not supported.
      if (content.startsWith('- ')) throw notPlain
      const contentIndent = indent + line.length - content.length
      items.push(splitKey(content) === null ? this.#scalar(content, indent) : this.#map(content, contentIndent, depth + 1))
    }
    this.#checkDedent(indent)
    return items
  }

  /** Reads a block map. `content` is the rest of the current line, where the map starts. */
  #map(content: string, indent: number, depth: number): JsonObject {
    if (depth > maxDepth) throw notPlain
    const members = new Map<string, JsonValue>()
    for (;;) {
      const [, key = '', rest = ''] = splitKey(content) ?? []
      // A key without quotes can be another scalar, such as a boolean.
      if (key === '' || members.has(key) || (content.charCodeAt(0) !== 0x22 && typeof resolveScalar(key, '') !== 'string')) throw notPlain
      members.set(key, rest === '' || rest.startsWith('#') ? this.#nestedValue(indent, depth) : this.#scalar(rest, indent))
      if (this.#line?.indent !== indent || isItem(this.#line.content)) break
      content = this.#line.content
    }
    this.#checkDedent(indent)
    const object: { [key: string]: unknown } = {}
    for (const key of [...members.keys()].sort()) setOwn(object, key, members.get(key))
    return object as JsonObject
  }

  /** Returns the value of a key whose line ends after the colon. A list may have the same indentation as its key. */
  #nestedValue(indent: number, depth: number): JsonValue {
    this.#advance()
    const next = this.#line
    if (next === undefined || next.indent < indent) return null
    if (next.indent === indent) return isItem(next.content) ? this.#list(indent, depth + 1) : null
    return this.#block(next.indent, depth + 1)
  }

  /** Returns the scalar that starts on the current line. A block scalar continues on the following lines. */
  #scalar(written: string, indent: number): JsonValue {
    const text = withoutComment(written)
    if (blockHeader.test(text)) {
      const { value, next } = readBlockScalar(this.#lines, this.#at, indent, text)
      this.#at = next
      this.#advance()
      return value
    }
    this.#advance()
    // A following line with more indentation would continue this scalar, which is not supported.
    if ((this.#line?.indent ?? 0) > indent) throw notPlain
    return text.startsWith('[') || text.startsWith('{') ? readPlainFlow(text) : readPlainScalar(text)
  }

  /** Throws `notPlain` if the line after a block is indented more than the block. */
  #checkDedent(indent: number): void {
    if ((this.#line?.indent ?? -1) > indent) throw notPlain
  }
}

function splitKey(content: string): RegExpExecArray | null {
  return keyAndRest.exec(content) ?? (content.charCodeAt(0) === 0x22 ? quotedKeyAndRest.exec(content) : null)
}

/** Returns text without its comment. Must not be used for quoted strings and brackets, which may contain number signs. */
function withoutComment(text: string): string {
  const at = text.indexOf(' #')
  return at < 0 || /^["'[{]/.test(text) ? text : trimRight(text.slice(0, at), ' ')
}

function isItem(content: string): boolean {
  return content.startsWith('- ')
}
