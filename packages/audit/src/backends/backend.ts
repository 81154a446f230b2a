import type { AuditEvent, EventSummary } from '../events/audit-event.ts'
import { eventHead } from '../events/event-json.ts'

/** Stores or sends events. */
export interface AuditBackend {
  /**
   * Takes an event. Returns undefined if the request need not wait for it. Otherwise returns a promise that resolves when the event is stored:
   * with false if it could not be stored and its request must therefore fail.
   */
  process(event: AuditEvent): Promise<boolean> | undefined
  /** Stores the events that were taken, and releases the backend's resources. */
  close(): Promise<void>
}

/**
 * Reports events that could not be stored. `plugin` is the name of the backend in metrics and in the log.
 */
export type ReportLoss = (plugin: string, error: Error, events: readonly EventSummary[]) => void

/** Passes every event to all backends. */
export function createUnionBackend(backends: readonly AuditBackend[]): AuditBackend {
  if (backends.length === 1) return backends[0]!
  return {
    process(event) {
      const waits = backends.map((backend) => backend.process(event)).filter((wait) => wait !== undefined)
      return waits.length < 2 ? waits[0] : Promise.all(waits).then((stored) => stored.every(Boolean))
    },
    close: async () => void (await Promise.all(backends.map((backend) => backend.close()))),
  }
}

export interface TruncationLimits {
  readonly maxEventSize: number
}

/** Number of bytes that the line of an event has in addition to its members. */
export const lineHeadSize: number = eventHead.length + 2

/** Size of an event in a log, in bytes. */
export function measureEvent(event: AuditEvent): number {
  return Buffer.byteLength(event.members) + lineHeadSize
}

/**
 * Removes the objects of events that are larger than `maxEventSize` bytes, and annotates those events. Drops events that are too large without
 * objects as well.
 */
export function createTruncatingBackend(backend: AuditBackend, { maxEventSize }: TruncationLimits, report: ReportLoss): AuditBackend {
  return {
    process(event) {
      if (measureEvent(event) <= maxEventSize) return backend.process(event)
      const short = event.level === 'Metadata' ? event : event.withoutObjects()
      if (short !== event && measureEvent(short) <= maxEventSize) return backend.process(short)
      report('truncate', new Error('event is too large even after truncating'), [short.summary])
      return undefined
    },
    close: () => backend.close(),
  }
}
