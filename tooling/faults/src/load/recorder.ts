import { readFileSync, writeSync } from 'node:fs'
import type { KeyRange, Revision } from '@keelson/storagebackend'
import type { Call, CallRecord, Outcome, Time, WatchItem, WatchRecord } from '../checker/index.ts'

/** Receives the calls of clients. A client reports a call before it makes the call, so that the record survives a kill of the process. */
export interface Recorder {
  recordCall(id: string, call: Call): void
  recordOutcome(id: string, outcome: Outcome): void
  recordWatch(name: string, range: KeyRange, after: Revision): void
  recordItem(name: string, item: WatchItem): void
}

export const readClock = (): Time => Number(process.hrtime.bigint()) / 1000

type Line =
  | { readonly at: Time; readonly id: string; readonly call: Call }
  | { readonly at: Time; readonly id: string; readonly outcome: Outcome }
  | { readonly at: Time; readonly watch: string; readonly range: KeyRange; readonly after: Revision }
  | { readonly at: Time; readonly watch: string; readonly item: WatchItem }

/** A recorder that builds a history. It can also read the files of other recorders. */
export class HistoryBuilder implements Recorder {
  readonly #calls = new Map<string, { call: Call; invoked: Time; returned: Time; outcome: Outcome }>()
  readonly #watches = new Map<string, { range: KeyRange; segments: { after: Revision; items: WatchItem[] }[]; mustReach: Revision }>()

  recordCall(id: string, call: Call): void {
    this.#line({ at: readClock(), id, call })
  }
  recordOutcome(id: string, outcome: Outcome): void {
    this.#line({ at: readClock(), id, outcome })
  }
  recordWatch(name: string, range: KeyRange, after: Revision): void {
    this.#line({ at: readClock(), watch: name, range, after })
  }
  recordItem(name: string, item: WatchItem): void {
    this.#line({ at: readClock(), watch: name, item })
  }

  /** Adds the calls in a file of a `FileRecorder`. Ignores an incomplete last line, which a kill can cause. */
  addFile(file: string): void {
    const lines = readFileSync(file, 'utf8').split('\n')
    lines.pop()
    // Converts null to undefined, because undefined values in lists are null in JSON.
    for (const line of lines) this.#line(JSON.parse(line, (_, value: unknown) => value ?? undefined) as Line)
  }

  /** Marks that calls without a response cannot take effect after this time. */
  settle(time: Time = readClock()): void {
    for (const record of this.#calls.values()) if (record.outcome.type === 'unknown') record.returned = Math.min(record.returned, time)
  }

  mustReach(name: string, revision: Revision): void {
    this.#watches.get(name)!.mustReach = revision
  }

  get calls(): CallRecord[] {
    return [...this.#calls.values()]
  }

  get watches(): WatchRecord[] {
    return Array.from(this.#watches, ([name, watch]) => ({ name, ...watch }))
  }

  #line(line: Line): void {
    if ('call' in line) this.#calls.set(line.id, { call: line.call, invoked: line.at, returned: Infinity, outcome: { type: 'unknown' } })
    else if ('outcome' in line) {
      const record = this.#calls.get(line.id)!
      if (line.outcome.type !== 'unknown') record.returned = line.at
      record.outcome = line.outcome
    } else if ('item' in line) this.#watches.get(line.watch)!.segments.at(-1)!.items.push(line.item)
    else {
      const segment = { after: line.after, items: [] }
      const watch = this.#watches.get(line.watch)
      if (watch) watch.segments.push(segment)
      else this.#watches.set(line.watch, { range: line.range, segments: [segment], mustReach: 0 })
    }
  }
}

/** A recorder that writes one line per event to a file. Does not buffer lines, so that they survive a kill of the process. */
export class FileRecorder implements Recorder {
  readonly #file: number
  constructor(file: number) {
    this.#file = file
  }
  recordCall(id: string, call: Call): void {
    this.#write({ at: readClock(), id, call })
  }
  recordOutcome(id: string, outcome: Outcome): void {
    this.#write({ at: readClock(), id, outcome })
  }
  recordWatch(name: string, range: KeyRange, after: Revision): void {
    this.#write({ at: readClock(), watch: name, range, after })
  }
  recordItem(name: string, item: WatchItem): void {
    this.#write({ at: readClock(), watch: name, item })
  }
  #write(line: Line): void {
    writeSync(this.#file, `${JSON.stringify(line)}\n`)
  }
}
