import type { AuditEvent } from '../events/audit-event.ts'
import type { EventTemplate } from '../events/event-template.ts'

const initialSize = 64 * 1024
/** Size beyond which a buffer is not kept for later lines. */
const maxKeptSize = 4 * 2 ** 20
/** Length in characters from which the size of a line is measured, instead of assuming the largest possible one. */
const longLine = 16 * 1024
const maxBytesPerCharacter = 3

/**
 * Lines that are encoded into one buffer. It grows as needed, and is used again for later lines. Strings that wait would cost the garbage
 * collector more than the encoding.
 */
export class LineBuffer {
  #buffer: Buffer = Buffer.allocUnsafeSlow(initialSize)
  #size = 0
  readonly #ends: number[] = []

  /** Ends of the lines in `bytes`. */
  get ends(): readonly number[] {
    return this.#ends
  }

  get size(): number {
    return this.#size
  }

  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.#size)
  }

  add(line: string): void {
    const needed = this.#size + (line.length < longLine ? line.length * maxBytesPerCharacter : Buffer.byteLength(line))
    if (needed > this.#buffer.length) this.#grow(needed)
    this.#size += this.#buffer.write(line, this.#size)
    this.#ends.push(this.#size)
  }

  /** Adds the line of an event as a copy of its template. */
  addCopy(event: AuditEvent, template: EventTemplate): void {
    const end = this.#size + template.size
    if (end > this.#buffer.length) this.#grow(end)
    event.writeCopy(template, this.#buffer, this.#size)
    this.#size = end
    this.#ends.push(end)
  }

  /** Returns a line as text. */
  lineAt(index: number): string {
    return this.#buffer.toString('utf8', this.#ends[index - 1] ?? 0, this.#ends[index])
  }

  clear(): void {
    this.#size = 0
    this.#ends.length = 0
    if (this.#buffer.length > maxKeptSize) this.#buffer = Buffer.allocUnsafeSlow(initialSize)
  }

  #grow(needed: number): void {
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, this.#buffer.length * 2))
    this.#buffer.copy(larger, 0, 0, this.#size)
    this.#buffer = larger
  }
}
