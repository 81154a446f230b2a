const context = 3
/** Beyond this the differing middle is shown as one piece: finding the shortest difference takes the product of both lengths. */
const maxCells = 1_000_000

interface Line {
  readonly mark: ' ' | '-' | '+'
  readonly text: string
}

/** What differs between two JSON values, as a unified diff of their indented texts. */
export function lineDiff(before: unknown, after: unknown): string {
  const lines = diffLines(indented(before), indented(after))
  const shown = lines.map((_, i) => lines.slice(Math.max(0, i - context), i + context + 1).some(({ mark }) => mark !== ' '))
  let text = ''
  let oldLine = 1
  let newLine = 1
  for (let i = 0; i < lines.length; i++) {
    if (shown[i] === true && shown[i - 1] !== true) {
      const end = shown.indexOf(false, i)
      const hunk = lines.slice(i, end < 0 ? lines.length : end)
      const count = (mark: Line['mark']): number => hunk.filter((line) => line.mark !== mark).length
      text += `@@ -${oldLine},${count('+')} +${newLine},${count('-')} @@\n`
    }
    const { mark, text: line } = lines[i]!
    if (shown[i] === true) text += `${mark}${line}\n`
    if (mark !== '+') oldLine += 1
    if (mark !== '-') newLine += 1
  }
  return text === '' ? '' : `--- \n+++ \n${text}`
}

function indented(value: unknown): string[] {
  return JSON.stringify(value, null, 1).split('\n')
}

function diffLines(before: readonly string[], after: readonly string[]): readonly Line[] {
  const shortest = Math.min(before.length, after.length)
  let start = 0
  while (start < shortest && before[start] === after[start]) start++
  let end = 0
  while (end < shortest - start && before.at(-1 - end) === after.at(-1 - end)) end++
  const same = (text: string): Line => ({ mark: ' ', text })
  return [
    ...before.slice(0, start).map(same),
    ...diffMiddle(before.slice(start, before.length - end), after.slice(start, after.length - end)),
    ...before.slice(before.length - end).map(same),
  ]
}

/** By the longest common subsequence. */
function diffMiddle(before: readonly string[], after: readonly string[]): readonly Line[] {
  const width = after.length + 1
  if (before.length * after.length > maxCells) {
    return [...before.map((text): Line => ({ mark: '-', text })), ...after.map((text): Line => ({ mark: '+', text }))]
  }
  const lengths = new Uint32Array((before.length + 1) * width)
  const at = (i: number, j: number): number => lengths[i * width + j]!
  for (let i = before.length - 1; i >= 0; i--) {
    for (let j = after.length - 1; j >= 0; j--) {
      lengths[i * width + j] = before[i] === after[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1))
    }
  }
  const lines: Line[] = []
  let i = 0
  let j = 0
  while (i < before.length || j < after.length) {
    if (i < before.length && j < after.length && before[i] === after[j]) {
      lines.push({ mark: ' ', text: before[i++]! })
      j++
    } else if (j >= after.length || (i < before.length && at(i + 1, j) >= at(i, j + 1))) lines.push({ mark: '-', text: before[i++]! })
    else lines.push({ mark: '+', text: after[j++]! })
  }
  return lines
}
