import { setOwn } from '../json-reader.ts'
import type { JsonObject, JsonValue } from '../meta.ts'
import { trimRight } from '../trim.ts'
import { notPlain } from './not-plain.ts'
import { blockHeader, readBlockScalar, spacesOf } from './plain-block-scalar.ts'
import { readPlainFlow } from './plain-flow.ts'
import { readPlainScalar } from './plain-scalar.ts'
import { resolveScalar } from './resolve-scalar.ts'

/** One line with something on it. */
interface Line {
  readonly indent: number
  readonly content: string
}

const keyAndRest = /^([A-Za-z_][\w./-]*):(?: +(.*))?$/s
const quotedKeyAndRest = /^"([\w][\w./-]*)":(?: +(.*))?$/s
const maxDepth = 100
/** Line breaks other than line feeds, control characters, halves of pairs and byte order marks. */
// oxlint-disable-next-line no-control-regex
const unusual = /[^\n\t\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd]/

/**
 * YAML as people and programs mostly write it: blocks of maps and lists, names as keys, scalars and brackets on one line, texts in lines of their
 * own. Many times quicker than a parser of all of YAML. Undefined for everything else, also for what is wrong: that is for the parser to say.
 */
export function readPlainYaml(text: string): JsonValue | undefined {
  if (unusual.test(text)) return undefined
  try {
    return new PlainReader(text.split('\n')).document()
  } catch (error) {
    if (error === notPlain) return undefined
    throw error
  }
}

class PlainReader {
  readonly #lines: readonly string[]
  /** Of the line behind the current one. */
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

  /** To the next line that has something on it. */
  #advance(): void {
    while (this.#at < this.#lines.length) {
      const line = this.#lines[this.#at++]!
      const indent = spacesOf(line)
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
      // A list in a list, on the same line.
      if (content.startsWith('- ')) throw notPlain
      const own = indent + line.length - content.length
      items.push(splitKey(content) === null ? this.#scalar(content, indent) : this.#map(content, own, depth + 1))
    }
    this.#over(indent)
    return items
  }

  /** `content` is what stands in its first line, which is the current one. */
  #map(content: string, indent: number, depth: number): JsonObject {
    if (depth > maxDepth) throw notPlain
    const members = new Map<string, JsonValue>()
    for (;;) {
      const [, key = '', rest = ''] = splitKey(content) ?? []
      // Some names are booleans.
      if (key === '' || members.has(key) || (content.charCodeAt(0) !== 0x22 && typeof resolveScalar(key, '') !== 'string')) throw notPlain
      members.set(key, rest === '' || rest.startsWith('#') ? this.#below(indent, depth) : this.#scalar(rest, indent))
      if (this.#line?.indent !== indent || isItem(this.#line.content)) break
      content = this.#line.content
    }
    this.#over(indent)
    const object: { [key: string]: unknown } = {}
    for (const key of [...members.keys()].sort()) setOwn(object, key, members.get(key))
    return object as JsonObject
  }

  /** The value of a key with nothing behind it. A list may stand as far to the left as the key. */
  #below(indent: number, depth: number): JsonValue {
    this.#advance()
    const next = this.#line
    if (next === undefined || next.indent < indent) return null
    if (next.indent === indent) return isItem(next.content) ? this.#list(indent, depth + 1) : null
    return this.#block(next.indent, depth + 1)
  }

  /** What stands in the rest of the current line, and perhaps in those behind it. */
  #scalar(written: string, indent: number): JsonValue {
    const text = withoutComment(written)
    if (blockHeader.test(text)) {
      const { value, next } = readBlockScalar(this.#lines, this.#at, indent, text)
      this.#at = next
      this.#advance()
      return value
    }
    this.#advance()
    // What is further to the right belongs to this scalar.
    if ((this.#line?.indent ?? 0) > indent) throw notPlain
    return text.startsWith('[') || text.startsWith('{') ? readPlainFlow(text) : readPlainScalar(text)
  }

  /** After a block comes what belongs to one further out. */
  #over(indent: number): void {
    if ((this.#line?.indent ?? -1) > indent) throw notPlain
  }
}

function splitKey(content: string): RegExpExecArray | null {
  return keyAndRest.exec(content) ?? (content.charCodeAt(0) === 0x22 ? quotedKeyAndRest.exec(content) : null)
}

/** What ends by itself is cut by its reader: a number sign may be part of it. */
function withoutComment(text: string): string {
  const at = text.indexOf(' #')
  return at < 0 || /^["'[{]/.test(text) ? text : trimRight(text.slice(0, at), ' ')
}

function isItem(content: string): boolean {
  return content.startsWith('- ')
}
