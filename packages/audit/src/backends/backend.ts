import type { AuditEvent } from '../events/audit-event.ts'
import { eventHead } from '../events/event-json.ts'
import { formatLegacyLine } from '../events/legacy-line.ts'

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

/** Events that could not be stored. */
export interface LostEvents {
  readonly count: number
  /** Returns an event as a line of kube-apiserver's format `legacy`. */
  describe(index: number): string
}

/** Reports lost events. `plugin` is the name of the backend in metrics and in the log. `lost` is only valid during the call. */
export type ReportLoss = (plugin: string, error: Error, lost: LostEvents) => void

/** Returns lost events whose summaries in JSON are known. */
export function describeLost(summaries: readonly string[]): LostEvents {
  return { count: summaries.length, describe: (index) => formatLegacyLine(summaries[index]!) }
}

/** Maximum size in bytes of all events that wait or are being stored in mode `batch`. kube-apiserver limits only their number. */
export const maxHeldSize: number = 128 * 2 ** 20

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
      report('truncate', new Error('event is too large even after truncating'), describeLost([short.summary]))
      return undefined
    },
    close: () => backend.close(),
  }
}
