import type { AuditEvent } from '../events/audit-event.ts'
import { formatLegacyLine } from '../events/legacy-line.ts'
import type { AuditBackend, ReportLoss } from './backend.ts'
import { EventBuffer, measureHeld } from './event-buffer.ts'
import type { HeldEvent } from './event-buffer.ts'
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
}

/** Creates the backend that writes events as lines. All events that arrive during a write are written together by the next one. */
export function createLogBackend(options: LogBackendOptions): AuditBackend {
  return new LogBackend(options)
}

interface Batch {
  readonly events: HeldEvent[]
  readonly stored: Promise<boolean>
  readonly finish: (stored: boolean) => void
}

class LogBackend implements AuditBackend {
  readonly #options: LogBackendOptions
  readonly #buffer: EventBuffer
  #next: Batch | undefined
  #writing: Promise<void> | undefined

  constructor(options: LogBackendOptions) {
    this.#options = options
    const { mode, format, bufferSize, report } = options
    this.#buffer = new EventBuffer({
      isBounded: mode === 'batch',
      maxWaiting: bufferSize,
      encode: format === 'json' ? ({ line }) => `${line}\n` : ({ fields }) => `${formatLegacyLine(fields)}\n`,
      report,
    })
  }

  process(event: AuditEvent): Promise<boolean> | undefined {
    const batch = (this.#next ??= createBatch())
    const held = this.#buffer.hold(event, batch.events.length)
    if (held === undefined) return undefined
    batch.events.push(held)
    this.#writing ??= this.#writeAll()
    return this.#options.mode === 'batch' ? undefined : batch.stored
  }

  async #writeAll(): Promise<void> {
    // Waits for the other events of this turn of the event loop.
    await new Promise(setImmediate)
    const { writer, mode, report } = this.#options
    for (let batch = this.#next; batch !== undefined; batch = this.#next) {
      this.#next = undefined
      const { events } = batch
      const failures = await writer.write(events.map(({ bytes }) => bytes))
      this.#buffer.release(measureHeld(events))
      if (failures.size > 0)
        report(
          'log',
          [...failures.values()][0]!,
          [...failures.keys()].map((i) => events[i]!.summary),
        )
      // A batch fails as a whole: events of several requests are lost together if the disk is full.
      batch.finish(mode !== 'blocking-strict' || failures.size === 0)
    }
    this.#writing = undefined
  }

  async close(): Promise<void> {
    await this.#writing
    await this.#options.writer.close()
  }
}

function createBatch(): Batch {
  let finish!: (stored: boolean) => void
  const stored = new Promise<boolean>((resolve) => (finish = resolve))
  return { events: [], stored, finish }
}
