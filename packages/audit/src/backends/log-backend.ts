import { systemClock } from '@keelson/apimachinery'
import type { Clock } from '@keelson/apimachinery'
import type { AuditEvent } from '../events/audit-event.ts'
import { formatLegacyLine } from '../events/legacy-line.ts'
import { describeLost, maxHeldSize } from './backend.ts'
import type { AuditBackend, ReportLoss } from './backend.ts'
import { EventGate } from './event-gate.ts'
import { LineBuffer } from './line-buffer.ts'
import type { LineWriter } from './log-file.ts'

/**
 * How a backend treats requests: `batch` lets them go on, `blocking` makes them wait until the event is stored, and `blocking-strict` also
 * fails those whose arrival cannot be stored.
 */
export const auditModes = ['batch', 'blocking', 'blocking-strict'] as const
export type AuditMode = (typeof auditModes)[number]

export const auditLogFormats = ['legacy', 'json'] as const
export type AuditLogFormat = (typeof auditLogFormats)[number]

export interface LogBackendOptions {
  readonly writer: LineWriter
  readonly mode: AuditMode
  readonly format: AuditLogFormat
  /** Maximum number of waiting events in mode `batch`. More are dropped. */
  readonly bufferSize: number
  readonly report: ReportLoss
  readonly clock?: Pick<Clock, 'after'>
}

/** Time in milliseconds in which events are collected in mode `batch`. Many small writes would cost more than the events. */
const collectMs = 50
/** Number of events that are written at once without waiting for more. */
const fullBatch = 1000

/** Creates the backend that writes events as lines. Events that arrive during a write are written together by the next ones. */
export function createLogBackend(options: LogBackendOptions): AuditBackend {
  return new LogBackend(options)
}

interface Batch {
  readonly lines: LineBuffer
  readonly stored: Promise<boolean>
  readonly finish: (stored: boolean) => void
}

class LogBackend implements AuditBackend {
  readonly #options: LogBackendOptions
  readonly #fullBatch: number
  /** Batches that wait, in order. Events are added to the last one. Each has a bounded size, so that no step takes long. */
  readonly #batches: Batch[] = []
  #waitingEvents = 0
  /** Size in bytes of the events that wait or are being written. */
  #heldSize = 0
  readonly #gate: EventGate
  #writing: Promise<void> | undefined
  /** A buffer that is not in use. */
  #spare: LineBuffer | undefined
  /** Ends the wait for more events. */
  #wake: () => void = () => {}
  #isClosing = false

  constructor(options: LogBackendOptions) {
    this.#options = options
    this.#fullBatch = Math.min(fullBatch, options.bufferSize / 2)
    this.#gate = new EventGate({ isFull: () => this.#heldSize >= maxHeldSize, take: (event) => this.#add(event) })
  }

  process(event: AuditEvent): Promise<boolean> | undefined {
    const { mode, bufferSize, report } = this.#options
    if (mode !== 'batch') return this.#gate.pass(event)
    if (this.#waitingEvents >= bufferSize || this.#heldSize > maxHeldSize) {
      report('buffered', new Error('audit buffer queue blocked'), describeLost([event.summary]))
      return undefined
    }
    void this.#add(event)
    return undefined
  }

  /** Returns a promise that resolves when the event is stored. */
  #add(event: AuditEvent): Promise<boolean> {
    const isJson = this.#options.format === 'json'
    const template = isJson ? event.template : undefined
    const line = template !== undefined ? '' : isJson ? `${event.line}\n` : `${formatLegacyLine(event.summary)}\n`
    const { lines, stored } = this.#findBatch(template?.size ?? line.length)
    const { size } = lines
    if (template !== undefined) lines.addCopy(event, template)
    else lines.add(line)
    this.#heldSize += lines.size - size
    if (++this.#waitingEvents >= this.#fullBatch) this.#wake()
    this.#writing ??= this.#writeAll()
    return stored
  }

  #findBatch(length: number): Batch {
    const last = this.#batches.at(-1)
    if (last?.lines.hasRoom(length) === true) return last
    const lines = this.#spare ?? new LineBuffer()
    this.#spare = undefined
    let finish!: (stored: boolean) => void
    const stored = new Promise<boolean>((resolve) => (finish = resolve))
    const batch = { lines, stored, finish }
    this.#batches.push(batch)
    return batch
  }

  /** Waits for more events: in mode `batch` for a short time, otherwise for those of this turn of the event loop. */
  #collect(): Promise<unknown> {
    const { mode, clock = systemClock } = this.#options
    if (mode !== 'batch') return new Promise(setImmediate)
    if (this.#isClosing) return Promise.resolve()
    return new Promise<void>((resolve) => {
      const cancel = clock.after(collectMs, resolve)
      this.#wake = () => {
        cancel()
        resolve()
      }
    })
  }

  async #writeAll(): Promise<void> {
    await this.#collect()
    for (let batch = this.#batches.shift(); batch !== undefined; batch = this.#batches.shift()) {
      this.#waitingEvents -= batch.lines.count
      await this.#write(batch)
      const waiting = this.#waitingEvents
      if (this.#options.mode === 'batch' && waiting > 0 && waiting < this.#fullBatch && this.#batches.length === 1) await this.#collect()
    }
    this.#writing = undefined
  }

  async #write({ lines, finish }: Batch): Promise<void> {
    const { writer, mode, format, report } = this.#options
    const failures = await writer.write(lines.bytes, lines.ends)
    if (failures.size > 0) {
      const lost = [...failures.keys()]
      const describe = (index: number): string => {
        const line = lines.getLine(lost[index]!)
        return format === 'json' ? formatLegacyLine(line) : line.trimEnd()
      }
      report('log', [...failures.values()][0]!, { count: lost.length, describe })
    }
    // A batch fails as a whole: events of several requests are lost together if the disk is full.
    finish(mode !== 'blocking-strict' || failures.size === 0)
    this.#heldSize -= lines.size
    lines.clear()
    this.#spare = lines
    this.#gate.resume()
  }

  async close(): Promise<void> {
    this.#isClosing = true
    this.#wake()
    await this.#writing
    await this.#options.writer.close()
  }
}
