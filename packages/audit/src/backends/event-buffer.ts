import type { AuditEvent } from '../events/audit-event.ts'
import { describeLost, maxHeldSize } from './backend.ts'
import type { ReportLoss } from './backend.ts'

/** Approximate size of what is kept of an event next to its encoded form. */
const overhead = 1024

/** An encoded event that waits. Its texts share their parts with each other and are not copied until they are stored. */
export interface HeldEvent {
  readonly text: string
  readonly summary: string
}

export interface EventBufferOptions {
  /** False in modes in which requests wait for their events. Nothing is lost then. */
  readonly isBounded: boolean
  /** Maximum number of events that wait. */
  readonly maxWaiting: number
  readonly report: ReportLoss
}

/** Encodes the events that a backend keeps. Limits them in mode `batch`, and reports those beyond the limit, which are lost. */
export class EventBuffer {
  readonly #options: EventBufferOptions
  #heldSize = 0

  constructor(options: EventBufferOptions) {
    this.#options = options
  }

  /** Returns the event to keep. Returns undefined if it is lost because `waiting` events wait already, or because they are too large. */
  hold(event: AuditEvent, waiting: number): HeldEvent | undefined {
    const { isBounded, maxWaiting, report } = this.#options
    if (!isBounded || (waiting < maxWaiting && this.#heldSize < maxHeldSize)) {
      const held = { text: event.members, summary: event.summary }
      this.#heldSize += held.text.length + overhead
      return held
    }
    report('buffered', new Error('audit buffer queue blocked'), describeLost([event.summary]))
    return undefined
  }

  /** Makes room again when events of this size are stored or lost. */
  release(size: number): void {
    this.#heldSize -= size
  }
}

/** Returns the size of held events. */
export function measureHeld(events: readonly HeldEvent[]): number {
  let size = 0
  for (const { text } of events) size += text.length + overhead
  return size
}
