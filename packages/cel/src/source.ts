/** Offset of issues that concern the whole expression. */
export const wholeExpression = -2
/** Offset of nodes whose text could not be parsed. */
export const beforeText = -1

/** The text of an expression. Converts offsets to the line and code point column of messages. */
export class Source {
  readonly text: string
  #lines: readonly number[] | undefined

  constructor(text: string) {
    this.text = text
  }

  /** Returns the line and column of an offset. Lines start at 1, columns at 0. */
  location(offset: number): Location {
    if (offset === wholeExpression) return nowhere
    // An empty text has no column 0, so cel-go reports -1.
    if (offset === beforeText || this.text === '') return { line: 1, column: -1 }
    const lines = this.#starts()
    let low = 0
    let high = lines.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (lines[middle]! <= offset) low = middle
      else high = middle - 1
    }
    return { line: low + 1, column: countCodePoints(this.text, lines[low], offset) }
  }

  line(line: number): string | undefined {
    const lines = this.#starts()
    const start = lines[line - 1]
    if (start === undefined || this.text === '') return undefined
    const next = lines[line]
    return this.text.slice(start, next === undefined ? undefined : next - 1)
  }

  #starts(): readonly number[] {
    if (this.#lines !== undefined) return this.#lines
    const starts = [0]
    for (let i = this.text.indexOf('\n'); i >= 0; i = this.text.indexOf('\n', i + 1)) starts.push(i + 1)
    return (this.#lines = starts)
  }
}

export interface Location {
  readonly line: number
  readonly column: number
}

const nowhere: Location = { line: -1, column: -1 }

export function countCodePoints(text: string, start = 0, end: number = text.length): number {
  let count = 0
  for (let i = start; i < end; i++) {
    const unit = text.charCodeAt(i)
    if (unit < 0xdc00 || unit > 0xdfff || i === start) count++
  }
  return count
}
