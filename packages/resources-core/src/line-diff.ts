import { goJson } from '@keelson/apimachinery'
import { editsBetween } from './sequence-matcher.ts'
import type { Edit } from './sequence-matcher.ts'

const context = 3
/** Beyond this the whole is shown as replaced: finding out what is common takes up to the product of both lengths. */
const maxCells = 1_000_000

/** What differs between two JSON values: the hunks of a unified diff of their indented texts. */
export function lineDiff(before: unknown, after: unknown): string {
  const a = indented(before)
  const b = indented(after)
  const edits: Edit[] =
    a.length * b.length > maxCells
      ? [{ kind: 'replace', oldStart: 0, oldEnd: a.length, newStart: 0, newEnd: b.length }]
      : editsBetween(a, b)
  return hunksOf(edits)
    .map((hunk) => printHunk(hunk, a, b))
    .join('')
}

function indented(value: unknown): string[] {
  return printed(value, '').split('\n')
}

function printed(value: unknown, margin: string): string {
  if (typeof value !== 'object' || value === null) return goJson(value)
  const inner = `${margin} `
  const isList = Array.isArray(value)
  const members = isList
    ? value.map((item) => inner + printed(item, inner))
    : Object.entries(value).map(([name, member]) => `${inner}${goJson(name)}: ${printed(member, inner)}`)
  const [open, close] = isList ? '[]' : '{}'
  return members.length === 0 ? `${open}${close}` : `${open}\n${members.join(',\n')}\n${margin}${close}`
}

/** Changes that are near each other, with some unchanged lines around them. */
function hunksOf(edits: readonly Edit[]): Edit[][] {
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
    if (isFirst) hunk.push(lastLines(edit))
    else if (isLast) hunk.push(firstLines(edit))
    else if (length > 2 * context) {
      hunks.push([...hunk, firstLines(edit)])
      hunk = [lastLines(edit)]
    } else hunk.push(edit)
  }
  return hunk.some(({ kind }) => kind !== 'equal') ? [...hunks, hunk] : hunks
}

function firstLines(edit: Edit): Edit {
  const length = Math.min(edit.oldEnd - edit.oldStart, context)
  return { ...edit, oldEnd: edit.oldStart + length, newEnd: edit.newStart + length }
}

function lastLines(edit: Edit): Edit {
  const length = Math.min(edit.oldEnd - edit.oldStart, context)
  return { ...edit, oldStart: edit.oldEnd - length, newStart: edit.newEnd - length }
}

function printHunk(hunk: readonly Edit[], a: readonly string[], b: readonly string[]): string {
  const first = hunk[0]!
  const last = hunk.at(-1)!
  let text = `@@ -${range(first.oldStart, last.oldEnd)} +${range(first.newStart, last.newEnd)} @@\n`
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

/** Lines count from one; an empty range begins at the line before it. */
function range(start: number, end: number): string {
  const length = end - start
  if (length === 1) return `${start + 1}`
  return length === 0 ? `${start},0` : `${start + 1},${length}`
}
