import { systemClock } from '@keelson/apimachinery'
import type { Clock } from '@keelson/apimachinery'
import type { AuditEvent } from '../events/audit-event.ts'
import { formatLegacyLine } from '../events/legacy-line.ts'
import { describeLost, maxHeldSize } from './backend.ts'
import type { AuditBackend, ReportLoss } from './backend.ts'
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
const collectMs = 20
/** Number of events that are written at once without waiting for more. */
const fullBatch = 1000

/** Creates the backend that writes events as lines. All events that arrive during a write are written together by the next one. */
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
  /** Events that wait. */
  #next: Batch | undefined
  /** Size in bytes of the events that are being written. */
  #writingSize = 0
  #writing: Promise<void> | undefined
  /** A buffer that is not in use. */
  #spare: LineBuffer | undefined
  /** Ends the wait for more events. */
  #wake: () => void = () => {}
  #isClosing = false

  constructor(options: LogBackendOptions) {
    this.#options = options
    this.#fullBatch = Math.min(fullBatch, options.bufferSize / 2)
  }

  process(event: AuditEvent): Promise<boolean> | undefined {
    const { mode, format, bufferSize, report } = this.#options
    const batch = (this.#next ??= this.#createBatch())
    const { lines } = batch
    if (mode === 'batch' && (lines.ends.length >= bufferSize || lines.size + this.#writingSize > maxHeldSize)) {
      report('buffered', new Error('audit buffer queue blocked'), describeLost([event.summary]))
      return undefined
    }
    const template = format === 'json' ? event.template : undefined
    if (template !== undefined) lines.addCopy(event, template)
    else lines.add(format === 'json' ? `${event.line}\n` : `${formatLegacyLine(event.summary)}\n`)
    if (lines.ends.length >= this.#fullBatch) this.#wake()
    this.#writing ??= this.#writeAll()
    return mode === 'batch' ? undefined : batch.stored
  }

  #createBatch(): Batch {
    const lines = this.#spare ?? new LineBuffer()
    this.#spare = undefined
    let finish!: (stored: boolean) => void
    const stored = new Promise<boolean>((resolve) => (finish = resolve))
    return { lines, stored, finish }
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
    for (let batch = this.#next; batch !== undefined; batch = this.#next) {
      this.#next = undefined
      await this.#write(batch)
      const waiting = (this.#next as Batch | undefined)?.lines.ends.length ?? 0
      if (this.#options.mode === 'batch' && waiting > 0 && waiting < this.#fullBatch) await this.#collect()
    }
    this.#writing = undefined
  }

  async #write({ lines, finish }: Batch): Promise<void> {
    const { writer, mode, format, report } = this.#options
    this.#writingSize = lines.size
    const failures = await writer.write(lines.bytes, lines.ends)
    if (failures.size > 0) {
      const lost = [...failures.keys()]
      const describe = (index: number): string => {
        const line = lines.lineAt(lost[index]!)
        return format === 'json' ? formatLegacyLine(line) : line.trimEnd()
      }
      report('log', [...failures.values()][0]!, { count: lost.length, describe })
    }
    // A batch fails as a whole: events of several requests are lost together if the disk is full.
    finish(mode !== 'blocking-strict' || failures.size === 0)
    lines.clear()
    this.#spare = lines
    this.#writingSize = 0
  }

  async close(): Promise<void> {
    this.#isClosing = true
    this.#wake()
    await this.#writing
    await this.#options.writer.close()
  }
}
