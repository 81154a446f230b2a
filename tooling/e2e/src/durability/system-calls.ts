export interface SystemCall {
  readonly name: string
  /** First argument of the call, if it is a file descriptor. */
  readonly descriptor: number
  readonly result: number
  /** Start time in seconds since the epoch. */
  readonly start: number
  readonly end: number
}

const callPattern = /^(\d+)\s+(\d+\.\d+) (\w+)\((.*)\)\s+= (-?\d+|0x[\da-f]+).*?<(\d+\.\d+)>$/
const begun = /^(\d+)\s+(\d+\.\d+) (\w+)\((.*) <unfinished \.\.\.>$/
const resumed = /^(\d+)\s+(\d+\.\d+) <\.\.\. (\w+) resumed>.*= (-?\d+|0x[\da-f]+).*?<(\d+\.\d+)>$/

/** Parses the output of `strace -f -ttt -T`. Joins the two lines of a call that another thread interrupted. */
export function parseTrace(text: string): readonly SystemCall[] {
  const calls: SystemCall[] = []
  const open = new Map<string, { start: number; descriptor: number }>()
  for (const line of text.split('\n')) {
    const call = callPattern.exec(line)
    if (call !== null) {
      const start = Number(call[2])
      calls.push({
        name: call[3] ?? '',
        descriptor: Number.parseInt(call[4] ?? '', 10),
        result: Number(call[5]),
        start,
        end: start + Number(call[6]),
      })
      continue
    }
    const half = begun.exec(line)
    if (half !== null) {
      open.set(`${half[1]} ${half[3]}`, { start: Number(half[2]), descriptor: Number.parseInt(half[4] ?? '', 10) })
      continue
    }
    const resumption = resumed.exec(line)
    const first = resumption === null ? undefined : open.get(`${resumption[1]} ${resumption[3]}`)
    if (resumption === null || first === undefined) continue
    calls.push({ name: resumption[3] ?? '', ...first, result: Number(resumption[4]), end: first.start + Number(resumption[5]) })
  }
  return calls.sort((a, b) => a.start - b.start)
}
