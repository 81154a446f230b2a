import { setOwn } from '../set-own.ts'
import type { JsonObject, JsonValue } from '../meta.ts'
import { notPlain } from './not-plain.ts'
import { apostrophe, checkRest, quotationMark, readQuoted, resolvePlain } from './plain-scalar.ts'

const maxDepth = 100
/** Matches a plain scalar within brackets. Excludes colons, because their meaning depends on the context. */
const plain = /(?:[\w./+]|-(?=[\w.]))[\w./+@=~$%()-]*(?: +[\w./+@=~$%()-]+)*/y
const key = /(?:([A-Za-z_][\w./-]*)|(?="))/y

/** Parses a list or map in brackets that is on one line. Throws `notPlain` if the fast reader does not support it. */
export function readPlainFlow(text: string): JsonValue {
  const reader = new FlowReader(text)
  const value = reader.value(0)
  checkRest(text, reader.at)
  return value
}

class FlowReader {
  at = 0
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  value(depth: number): JsonValue {
    if (depth > maxDepth) throw notPlain
    switch (this.#text.charCodeAt(this.at)) {
      case 0x5b:
        return this.#list(depth)
      case 0x7b:
        return this.#map(depth)
      case quotationMark:
      case apostrophe:
        return this.#quoted()
      default:
        return resolvePlain(this.#take(plain)[0])
    }
  }

  #list(depth: number): JsonValue[] {
    const items: JsonValue[] = []
    this.at++
    this.#spaces()
    if (this.#over(']')) return items
    for (;;) {
      items.push(this.value(depth + 1))
      if (!this.#hasNext(']')) return items
    }
  }

  #map(depth: number): JsonObject {
    const members = new Map<string, JsonValue>()
    this.at++
    this.#spaces()
    if (this.#over('}')) return {}
    do {
      const name = this.#take(key)[1] ?? this.#quoted()
      if (members.has(name) || typeof resolvePlain(name) !== 'string') throw notPlain
      if (this.#text[this.at] !== ':' || this.#text[this.at + 1] !== ' ') throw notPlain
      this.at++
      this.#spaces()
      members.set(name, this.value(depth + 1))
    } while (this.#hasNext('}'))
    const object: { [key: string]: unknown } = {}
    for (const name of [...members.keys()].sort()) setOwn(object, name, members.get(name))
    return object as JsonObject
  }

  /** Reads the delimiter after an element. Returns true after a comma and false at the closing bracket. */
  #hasNext(end: string): boolean {
    this.#spaces()
    if (this.#over(end)) return false
    if (this.#text[this.at] !== ',') throw notPlain
    this.at++
    this.#spaces()
    return true
  }

  #over(end: string): boolean {
    if (this.#text[this.at] !== end) return false
    this.at++
    return true
  }

  #quoted(): string {
    const { value, end } = readQuoted(this.#text, this.at)
    this.at = end
    return value
  }

  #take(pattern: RegExp): RegExpExecArray {
    pattern.lastIndex = this.at
    const match = pattern.exec(this.#text)
    if (match === null) throw notPlain
    this.at = pattern.lastIndex
    return match
  }

  #spaces(): void {
    while (this.#text.charCodeAt(this.at) === 0x20) this.at++
  }
}
