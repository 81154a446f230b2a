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
  /** Maximum number of events that wait. */
  readonly maxWaiting: number
  readonly report: ReportLoss
}

/** Encodes the events that a backend keeps, and limits them. */
export class EventBuffer {
  readonly #options: EventBufferOptions
  #heldSize = 0

  constructor(options: EventBufferOptions) {
    this.#options = options
  }

  /** True if the events that are kept have reached the maximum size. */
  get isFull(): boolean {
    return this.#heldSize >= maxHeldSize
  }

  /** Returns the event to keep. */
  hold(event: AuditEvent): HeldEvent {
    const held = { text: event.members, summary: event.summary }
    this.#heldSize += held.text.length + overhead
    return held
  }

  /** Returns the event to keep in mode `batch`. Reports it as lost if `waiting` events wait already, or if they are too large. */
  holdOrDrop(event: AuditEvent, waiting: number): HeldEvent | undefined {
    const { maxWaiting, report } = this.#options
    if (waiting < maxWaiting && !this.isFull) return this.hold(event)
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
