import type { AuditEvent } from '../events/audit-event.ts'
import type { EventTemplate } from '../events/event-template.ts'

const initialSize = 64 * 1024
/** Size beyond which lines belong into another buffer, and beyond which a buffer is not kept. A longer line has a buffer of its own. */
const maxSize = 2 ** 20
/** Length in characters from which the size of a line is measured, instead of assuming the largest possible one. */
const longLine = 16 * 1024
const maxBytesPerCharacter = 3
/** Number of lines that are copied together. More would survive collections of young objects, which costs more than the copies. */
const copiedTogether = 16

interface Copy {
  readonly event: AuditEvent
  readonly template: EventTemplate
}

/**
 * Lines that are encoded into one buffer. It grows as needed, and is used again for later lines. Strings that wait would cost the garbage
 * collector more than the encoding.
 */
export class LineBuffer {
  #buffer: Buffer = Buffer.allocUnsafeSlow(initialSize)
  /** Size of the encoded lines. */
  #written = 0
  /** Size of all lines. */
  #size = 0
  readonly #ends: number[] = []
  /** Lines that are copied together, because the code and the templates are then in the caches of the processor. */
  readonly #copies: Copy[] = []

  /** Number of lines. */
  get count(): number {
    return this.#ends.length + this.#copies.length
  }

  /** Ends of the lines in `bytes`. */
  get ends(): readonly number[] {
    this.#copyLines()
    return this.#ends
  }

  get size(): number {
    return this.#size
  }

  get bytes(): Buffer {
    this.#copyLines()
    return this.#buffer.subarray(0, this.#size)
  }

  /** Returns whether a line of this length may be added. */
  hasRoom(length: number): boolean {
    return this.#size === 0 || this.#size + length <= maxSize
  }

  add(line: string): void {
    this.#copyLines()
    this.#reserve(line.length < longLine ? line.length * maxBytesPerCharacter : Buffer.byteLength(line))
    this.#size = this.#written += this.#buffer.write(line, this.#written)
    this.#ends.push(this.#written)
  }

  /** Adds the line of an event as a copy of its template. */
  addCopy(event: AuditEvent, template: EventTemplate): void {
    this.#size += template.size
    if (this.#copies.push({ event, template }) >= copiedTogether) this.#copyLines()
  }

  #copyLines(): void {
    if (this.#copies.length === 0) return
    this.#reserve(this.#size - this.#written)
    for (const { event, template } of this.#copies) {
      event.writeCopy(template, this.#buffer, this.#written)
      this.#written += template.size
      this.#ends.push(this.#written)
    }
    this.#copies.length = 0
  }

  /** Returns a line as text. */
  getLine(index: number): string {
    const { ends } = this
    return this.#buffer.toString('utf8', ends[index - 1] ?? 0, ends[index])
  }

  clear(): void {
    this.#size = this.#written = 0
    this.#ends.length = 0
    this.#copies.length = 0
    if (this.#buffer.length > maxSize) this.#buffer = Buffer.allocUnsafeSlow(initialSize)
  }

  /** Makes room for more bytes after the encoded lines. */
  #reserve(length: number): void {
    const needed = this.#written + length
    if (needed <= this.#buffer.length) return
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, Math.min(this.#buffer.length * 2, maxSize)))
    this.#buffer.copy(larger, 0, 0, this.#written)
    this.#buffer = larger
  }
}
