import { goJson } from '@keelson/apimachinery'
import { diffLines } from './sequence-matcher.ts'
import type { Edit } from './sequence-matcher.ts'

const context = 3
/** Maximum product of the two line counts. The product determines the run time. The diff of larger inputs replaces all lines. */
const maxCells = 1_000_000

/** Returns the hunks of a unified diff between two JSON values, printed with indentation. */
export function formatLineDiff(before: unknown, after: unknown): string {
  const a = printLines(before)
  const b = printLines(after)
  const edits: Edit[] =
    a.length * b.length > maxCells ? [{ kind: 'replace', oldStart: 0, oldEnd: a.length, newStart: 0, newEnd: b.length }] : diffLines(a, b)
  return groupIntoHunks(edits)
    .map((hunk) => printHunk(hunk, a, b))
    .join('')
}

function printLines(value: unknown): string[] {
  return printValue(value, '').split('\n')
}

function printValue(value: unknown, margin: string): string {
  if (typeof value !== 'object' || value === null) return goJson(value)
  const inner = `${margin} `
  const isList = Array.isArray(value)
  const members = isList
    ? value.map((item) => inner + printValue(item, inner))
    : Object.entries(value).map(([name, member]) => `${inner}${goJson(name)}: ${printValue(member, inner)}`)
  const [open, close] = isList ? '[]' : '{}'
  return members.length === 0 ? `${open}${close}` : `${open}\n${members.join(',\n')}\n${margin}${close}`
}

/** Groups nearby edits into hunks and adds the context lines of each hunk. */
function groupIntoHunks(edits: readonly Edit[]): Edit[][] {
  const hunks: Edit[][] = []
  let hunk: Edit[] = []
  for (const [i, edit] of edits.entries()) {
    if (edit.kind !== 'equal') {
      hunk.push(edit)
      continue
    }
    const isFirst = i === 0
    const isLast = i === edits.length - 1
    const length = edit.oldEnd - edit.oldStart
    if (isFirst) hunk.push(keepLastLines(edit))
    else if (isLast) hunk.push(keepFirstLines(edit))
    else if (length > 2 * context) {
      hunks.push([...hunk, keepFirstLines(edit)])
      hunk = [keepLastLines(edit)]
    } else hunk.push(edit)
  }
  return hunk.some(({ kind }) => kind !== 'equal') ? [...hunks, hunk] : hunks
}

function keepFirstLines(edit: Edit): Edit {
  const length = Math.min(edit.oldEnd - edit.oldStart, context)
  return { ...edit, oldEnd: edit.oldStart + length, newEnd: edit.newStart + length }
}

function keepLastLines(edit: Edit): Edit {
  const length = Math.min(edit.oldEnd - edit.oldStart, context)
  return { ...edit, oldStart: edit.oldEnd - length, newStart: edit.newEnd - length }
}

function printHunk(hunk: readonly Edit[], a: readonly string[], b: readonly string[]): string {
  const first = hunk[0]!
  const last = hunk.at(-1)!
  let text = `@@ -${formatRange(first.oldStart, last.oldEnd)} +${formatRange(first.newStart, last.newEnd)} @@\n`
  const print = (mark: string, lines: readonly string[]): void => {
    for (const line of lines) text += `${mark}${line}\n`
  }
  for (const { kind, oldStart, oldEnd, newStart, newEnd } of hunk) {
    if (kind === 'equal') print(' ', a.slice(oldStart, oldEnd))
    else {
      print('-', a.slice(oldStart, oldEnd))
      print('+', b.slice(newStart, newEnd))
    }
  }
  return text
}

/** Formats a line range for a hunk header. Line numbers start at 1. An empty range has the number of the line before it. */
function formatRange(start: number, end: number): string {
  const length = end - start
  if (length === 1) return `${start + 1}`
  return length === 0 ? `${start},0` : `${start + 1},${length}`
}
