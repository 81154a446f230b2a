import type { AuditEvent, EventSummary } from '../events/audit-event.ts'
import type { ReportLoss } from './backend.ts'

/** Maximum size in bytes of all events that wait or are being stored in mode `batch`. kube-apiserver limits only their number. */
const maxHeldBytes = 128 * 2 ** 20
/** Approximate size in bytes of what is kept of an event next to its encoded form. */
const summarySize = 1024

/** An encoded event that waits. */
export interface HeldEvent {
  readonly bytes: Buffer
  readonly summary: EventSummary
}

export interface EventBufferOptions {
  /** False in modes in which requests wait for their events. Nothing is lost then. */
  readonly isBounded: boolean
  /** Maximum number of events that wait. */
  readonly maxWaiting: number
  readonly encode: (event: AuditEvent) => string
  readonly report: ReportLoss
}

/** Encodes the events that a backend keeps. Limits them in mode `batch`, and reports those beyond the limit, which are lost. */
export class EventBuffer {
  readonly #options: EventBufferOptions
  #heldBytes = 0

  constructor(options: EventBufferOptions) {
    this.#options = options
  }

  /** Returns the event to keep. Returns undefined if it is lost because `waiting` events wait already, or because they are too large. */
  hold(event: AuditEvent, waiting: number): HeldEvent | undefined {
    const { isBounded, maxWaiting, encode, report } = this.#options
    if (!isBounded || (waiting < maxWaiting && this.#heldBytes < maxHeldBytes)) {
      const held = { bytes: Buffer.from(encode(event)), summary: event.summary }
      this.#heldBytes += held.bytes.length + summarySize
      return held
    }
    report('buffered', new Error('audit buffer queue blocked'), [event.summary])
    return undefined
  }

  /** Makes room again when events of this size are stored or lost. */
  release(size: number): void {
    this.#heldBytes -= size
  }
}

/** Returns the size of held events in bytes. */
export function measureHeld(events: readonly HeldEvent[]): number {
  let size = 0
  for (const { bytes } of events) size += bytes.length + summarySize
  return size
}
