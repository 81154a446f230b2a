import { setOwn } from '../json-reader.ts'
import type { JsonObject, JsonValue } from '../meta.ts'
import { resolveScalar } from './resolve-scalar.ts'

/** One line with something on it. */
interface Line {
  readonly indent: number
  readonly content: string
}

const keyAndRest = /^([A-Za-z_][\w./-]*):(?: +(.*))?$/
const plain = /^(?:[\w./+]|-(?=[^ ]))[\w./+:@=,~$%() -]*$/
const maxDepth = 100

/** The text is not of the kind that is read here. */
class NotPlain extends Error {}
const notPlain = new NotPlain('not plain')

/**
 * YAML as people and programs mostly write it: blocks of maps and lists, names as keys, scalars on one line. Many times quicker than a parser of all
 * of YAML. Undefined for everything else, also for what is wrong: that is for the parser to say.
 */
export function readPlainYaml(text: string): JsonValue | undefined {
  if (/[^\n\x20-\x7e]/.test(text)) return undefined
  try {
    return new PlainReader(linesOf(text)).document()
  } catch (error) {
    if (error === notPlain) return undefined
    throw error
  }
}

function linesOf(text: string): Line[] {
  const lines: Line[] = []
  for (const line of text.split('\n')) {
    const content = line.trim()
    if (content !== '' && !content.startsWith('#')) lines.push({ indent: line.length - line.trimStart().length, content })
  }
  return lines
}

class PlainReader {
  readonly #lines: readonly Line[]
  #at = 0

  constructor(lines: readonly Line[]) {
    this.#lines = lines
  }

  document(): JsonValue {
    const first = this.#lines[0]
    if (first === undefined || first.indent !== 0) throw notPlain
    const value = this.#block(0, 0)
    if (this.#at < this.#lines.length) throw notPlain
    return value
  }

  #block(indent: number, depth: number): JsonValue {
    if (depth > maxDepth) throw notPlain
    return isItem(this.#lines[this.#at]!) ? this.#list(indent, depth) : this.#map(this.#lines[this.#at++]!.content, indent, depth)
  }

  #list(indent: number, depth: number): JsonValue[] {
    const items: JsonValue[] = []
    for (let line = this.#lines[this.#at]; line?.indent === indent && isItem(line); line = this.#lines[this.#at]) {
      this.#at++
      const content = line.content.slice(1).trimStart()
      const own = indent + line.content.length - content.length
      // A list in a list, on the same line.
      if (content.startsWith('- ')) throw notPlain
      items.push(keyAndRest.test(content) ? this.#map(content, own, depth + 1) : this.#scalar(content, indent))
    }
    this.#over(indent)
    return items
  }

  /** `content` is its first line, of which the reader has gone past. */
  #map(content: string, indent: number, depth: number): JsonObject {
    if (depth > maxDepth) throw notPlain
    const members = new Map<string, JsonValue>()
    for (;;) {
      const [, key = '', rest = ''] = keyAndRest.exec(content) ?? []
      // Some names are booleans.
      if (key === '' || members.has(key) || typeof resolveScalar(key, '') !== 'string') throw notPlain
      members.set(key, rest === '' ? this.#below(indent, depth) : this.#scalar(rest, indent))
      const next = this.#lines[this.#at]
      if (next?.indent !== indent || isItem(next)) break
      this.#at++
      content = next.content
    }
    this.#over(indent)
    const object: { [key: string]: unknown } = {}
    for (const key of [...members.keys()].sort()) setOwn(object, key, members.get(key))
    return object as JsonObject
  }

  /** The value of a key with nothing behind it. A list may stand as far to the left as the key. */
  #below(indent: number, depth: number): JsonValue {
    const next = this.#lines[this.#at]
    if (next === undefined || next.indent < indent) return null
    if (next.indent === indent) return isItem(next) ? this.#list(indent, depth + 1) : null
    return this.#block(next.indent, depth + 1)
  }

  #scalar(text: string, indent: number): JsonValue {
    // What is further to the right belongs to this scalar.
    if ((this.#lines[this.#at]?.indent ?? 0) > indent) throw notPlain
    const quoted = /^(?:"([^"\\]*)"|'([^']*)')$/.exec(text)
    if (quoted !== null) return quoted[1] ?? quoted[2]!
    if (text === '{}') return {}
    if (text === '[]') return []
    if (!plain.test(text) || text.includes(': ') || text.endsWith(':')) throw notPlain
    const value = resolveScalar(text, '')
    if (typeof value === 'number' && !Number.isFinite(value)) throw notPlain
    return value as JsonValue
  }

  /** After a block comes what belongs to one further out. */
  #over(indent: number): void {
    if ((this.#lines[this.#at]?.indent ?? -1) > indent) throw notPlain
  }
}

function isItem({ content }: Line): boolean {
  return content.startsWith('- ')
}
