import type { EventFields } from './audit-event.ts'
import { eventHead } from './event-json.ts'
import type { EncodedEvent } from './event-json.ts'
import { microTimeLength, MicroTimeDigits } from './micro-time.ts'

/** Length of the audit ids that servers create. Clients may send others. */
const idLength = 36
const beforeReceived = ',"requestReceivedTimestamp":"'
const beforeReached = '","stageTimestamp":"'
/** Maximum size of a template in bytes. Each connection may keep three. */
const maxSize = 4096

/** The members that differ between the events of a template. */
type TemplateKey = Pick<EventFields, 'level' | 'stage' | 'objectRef' | 'status' | 'annotations'>

/**
 * The line of an event as bytes. Events that differ only in their audit id and their times are copied from it. This is several times cheaper
 * than encoding them.
 */
export class EventTemplate {
  readonly #key: TemplateKey
  readonly #line: Buffer
  readonly #idAt: number
  readonly #received: MicroTimeDigits
  readonly #reached: MicroTimeDigits

  constructor(fields: EventFields, { head, tail }: EncodedEvent) {
    const { level, stage, objectRef, status, annotations } = fields
    this.#key = { level, stage, objectRef, status, annotations }
    const start = `{${eventHead}${head}`
    this.#line = Buffer.from(`${start}${tail}\n`)
    this.#idAt = `{${eventHead}"level":"${level}","auditID":"`.length
    const receivedAt = Buffer.byteLength(start) + beforeReceived.length
    this.#received = new MicroTimeDigits(this.#line, receivedAt)
    this.#reached = new MicroTimeDigits(this.#line, receivedAt + microTimeLength + beforeReached.length)
  }

  get size(): number {
    return this.#line.length
  }

  /** Returns whether the line of the event is a copy of this one. Statuses and annotations are compared by identity. */
  matches({ level, stage, objectRef, status, annotations }: EventFields): boolean {
    const key = this.#key
    return (
      stage === key.stage && status === key.status && annotations === key.annotations && level === key.level && objectRef === key.objectRef
    )
  }

  /** Writes the line of an event, including the line feed. `target` has room for it. */
  write(target: Buffer, at: number, { auditId, received, reached }: EventFields): void {
    const receivedMicros = this.#received.setSecond(received)
    const reachedMicros = this.#reached.setSecond(reached)
    target.set(this.#line, at)
    target.write(auditId, at + this.#idAt, idLength, 'latin1')
    this.#received.writeFraction(target, at, receivedMicros)
    this.#reached.writeFraction(target, at, reachedMicros)
  }
}

/** Creates a template from an encoded event. Returns undefined if its line would not be a copy for other events, or is too large to keep. */
export function createTemplate(fields: EventFields, encoded: EncodedEvent): EventTemplate | undefined {
  if (fields.auditId.length !== idLength || encoded.head.length + encoded.tail.length > maxSize) return undefined
  return new EventTemplate(fields, encoded)
}
