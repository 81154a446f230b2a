import type { Source } from './source.ts'
import type { Location } from './source.ts'

/** An error in an expression. */
export interface Issue {
  readonly message: string
  /** Position in UTF-16 code units, or `wholeExpression`. */
  readonly offset: number
}

/**
 * A message or a function that builds it. Messages about types can be long, and only the first of thousands of issues are shown, so they
 * are built on demand.
 */
export type Message = string | (() => string)

const maxIssues = 100
/** Maximum length in bytes of a source line that a message shows. */
const maxLineLength = 16_384

/** Collects the errors of one expression and formats them like cel-go. */
export class Issues {
  readonly source: Source
  #issues: Issue[] = []
  #count = 0

  constructor(source: Source) {
    this.source = source
  }

  get size(): number {
    return this.#count
  }

  report(offset: number, message: Message): void {
    this.#count++
    if (this.#count <= maxIssues) this.#issues.push({ offset, message: typeof message === 'string' ? message : message() })
  }

  /** Returns the issues sorted by position. */
  list(): readonly Issue[] {
    return this.#issues.toSorted((a, b) => a.offset - b.offset)
  }

  toString(): string {
    const shown = this.list().map((issue) => this.#show(issue))
    if (this.#count > maxIssues) shown.push(`${this.#count - maxIssues} more errors were truncated`)
    return shown.join('\n')
  }

  #show({ message, offset }: Issue): string {
    const location = this.source.location(offset)
    const text = `ERROR: <input>:${location.line}:${location.column + 1}: ${message}`
    const line = this.source.line(location.line)
    if (line === undefined || Buffer.byteLength(line) > maxLineLength) return text
    return `${text}\n | ${line.replaceAll('\t', ' ')}\n | ${drawArrow(line, location)}`
  }
}

/** Returns the line that marks the column of an issue. A multi-byte character gets a wide dot, as in cel-go. */
function drawArrow(line: string, { column }: Location): string {
  const characters = [...line]
  const below = characters.slice(0, Math.max(column, 0)).map((character) => (isWide(character) ? '．' : '.'))
  return below.join('') + (isWide(characters[column] ?? '') ? '＾' : '^')
}

function isWide(character: string): boolean {
  return character !== '' && character.codePointAt(0)! > 0x7f
}
