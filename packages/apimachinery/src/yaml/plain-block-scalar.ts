import { notPlain } from './not-plain.ts'

/** Matches the header of a block scalar: the style (literal or folded) and the chomping indicator. */
export const blockHeader: RegExp = /^([|>])([+-]?)$/

export interface BlockScalar {
  readonly value: string
  /** Index of the line after the block scalar. */
  readonly next: number
}

/**
 * Reads the block scalar that starts at line `start` and is indented more than `parent`. Throws `notPlain` if a folded line has extra
 * indentation, or if the text has no final line break.
 */
export function readBlockScalar(lines: readonly string[], start: number, parent: number, header: string): BlockScalar {
  const [, style, chomping] = blockHeader.exec(header)!
  const indent = measureIndent(lines, start)
  if (indent <= parent) return { value: readEmptyLines(lines, start, chomping!), next: start }
  const content: string[] = []
  let next = start
  let end = 0
  for (; next < lines.length; next++) {
    const line = lines[next]!
    const blank = isBlank(line)
    if (!blank && countSpaces(line) < indent) break
    const text = line.slice(indent)
    content.push(text)
    if (text !== '') end = content.length
  }
  // The last element of `lines` is the text after the last line break. It must be empty.
  if (next === lines.length && lines.at(-1) !== '') throw notPlain
  if (next < lines.length && countSpaces(lines[next]!) > parent) throw notPlain
  const trailing = content.length - end - (next === lines.length ? 1 : 0)
  const text = style === '|' ? content.slice(0, end).join('\n') : fold(content.slice(0, end))
  return { value: text + (chomping === '-' ? '' : chomping === '+' ? '\n'.repeat(1 + trailing) : '\n'), next }
}

/** Returns the indentation of the first line with content. Throws `notPlain` if an earlier blank line has more spaces. */
function measureIndent(lines: readonly string[], start: number): number {
  let widest = 0
  for (let at = start; at < lines.length; at++) {
    const line = lines[at]!
    const spaces = countSpaces(line)
    if (spaces === line.length) widest = Math.max(widest, spaces)
    else if (spaces < widest) throw notPlain
    else return spaces
  }
  if (widest > 0) throw notPlain
  return 0
}

function readEmptyLines(lines: readonly string[], start: number, chomping: string): string {
  if (chomping === '+' && lines[start] !== undefined && isBlank(lines[start])) throw notPlain
  if (start >= lines.length) throw notPlain
  return ''
}

function fold(lines: readonly string[]): string {
  let text = ''
  let breaks = 0
  for (const [index, line] of lines.entries()) {
    if (line === '') {
      breaks++
      continue
    }
    if (line.startsWith(' ') || line.startsWith('\t')) throw notPlain
    text += breaks > 0 ? '\n'.repeat(breaks) : index === 0 ? '' : ' '
    text += line
    breaks = 0
  }
  return text
}

function isBlank(line: string): boolean {
  return countSpaces(line) === line.length
}

export function countSpaces(line: string): number {
  let spaces = 0
  while (line.charCodeAt(spaces) === 0x20) spaces++
  return spaces
}
