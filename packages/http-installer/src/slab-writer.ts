import type { ResponseSink } from './response.ts'
import { releaseSlab, slabSize, takeSlab } from './slab-pool.ts'

/** What is larger goes to the socket by itself rather than being copied. */
const directSize = slabSize / 2
const sliceMilliseconds = 5

/**
 * Gathers many small pieces into slabs. The first slab is held back until `finish`, so that a short answer can still be sent whole;
 * `open` is called when a second becomes necessary, and gives the sink for all of it.
 */
export class SlabWriter {
  readonly #open: () => Promise<ResponseSink>
  #sink: ResponseSink | undefined
  #slab: Buffer = takeSlab()
  #length = 0
  #sliceStart = performance.now()

  constructor(open: () => Promise<ResponseSink>) {
    this.#open = open
  }

  get closed(): boolean {
    return this.#sink?.closed === true
  }

  /** Room for `length` bytes at the returned offset of `slab`, or undefined: then `flush` first, or `writeDirect`. */
  reserve(length: number): number | undefined {
    return this.#length + length <= slabSize ? this.#length : undefined
  }

  get slab(): Buffer {
    return this.#slab
  }

  advance(end: number): void {
    this.#length = end
  }

  /** Undefined when done at once; a promise when the socket wants to be waited for. */
  write(bytes: Uint8Array): Promise<void> | undefined {
    if (this.#length + bytes.length <= slabSize) {
      this.#slab.set(bytes, this.#length)
      this.#length += bytes.length
      return undefined
    }
    return this.#writeFull(bytes)
  }

  async #writeFull(bytes: Uint8Array): Promise<void> {
    await this.flush()
    if (bytes.length > directSize) {
      if (this.#sink!.write(bytes)) return
      return this.#drained()
    }
    this.#slab.set(bytes, 0)
    this.#length = bytes.length
  }

  async flush(): Promise<void> {
    const sink = (this.#sink ??= await this.#open())
    if (this.#length === 0) return
    const full = this.#slab
    const ready = sink.write(full.subarray(0, this.#length), () => releaseSlab(full))
    this.#slab = takeSlab()
    this.#length = 0
    if (!ready) await this.#drained()
  }

  async #drained(): Promise<void> {
    await this.#sink!.drained()
    this.#sliceStart = performance.now()
  }

  /** Others wait for the thread: true when it is time to `yieldToOthers`. */
  get sliceIsOver(): boolean {
    return performance.now() - this.#sliceStart > sliceMilliseconds
  }

  async yieldToOthers(): Promise<void> {
    await new Promise<void>((resolve) => setImmediate(resolve))
    this.#sliceStart = performance.now()
  }

  /** The bytes, when all of them fit in the first slab; a copy, as the slab is used again. */
  takeShort(): Buffer | undefined {
    if (this.#sink !== undefined) return undefined
    const bytes = Buffer.from(this.#slab.subarray(0, this.#length))
    releaseSlab(this.#slab)
    return bytes
  }

  async finish(): Promise<void> {
    await this.flush()
    releaseSlab(this.#slab)
  }
}
