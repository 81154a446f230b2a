import { nextTurn, sliceMilliseconds } from '@keelson/apimachinery'
import type { ResponseSink } from '@keelson/exchange'
import { listSlabs } from './slab-pool.ts'

/**
 * Gathers many small pieces into slabs. The first slab is held back until `finish`, so that a short answer can still be sent whole;
 * `open` is called when a second becomes necessary, and gives the sink for all of it.
 */
export class SlabWriter {
  readonly #open: () => Promise<ResponseSink>
  #sink: ResponseSink | undefined
  #slab: Buffer = listSlabs.take()
  #length = 0
  #sliceStart = performance.now()

  constructor(open: () => Promise<ResponseSink>) {
    this.#open = open
  }

  get closed(): boolean {
    return this.#sink?.closed === true
  }

  /** Room for `length` bytes at the returned offset of `slab`, or undefined: then `makeRoom` first. Behind what was written there, `advance`. */
  reserve(length: number): number | undefined {
    return this.#length + length <= listSlabs.size ? this.#length : undefined
  }

  get slab(): Buffer {
    return this.#slab
  }

  advance(end: number): void {
    this.#length = end
  }

  /** Resolves to false when no slab has so much room: then `write` the bytes. */
  async makeRoom(length: number): Promise<boolean> {
    await this.#flush()
    return length <= listSlabs.size
  }

  /** Undefined when done at once; a promise when the socket wants to be waited for. */
  write(bytes: Uint8Array): Promise<void> | undefined {
    if (this.#length + bytes.length <= listSlabs.size) {
      this.#slab.set(bytes, this.#length)
      this.#length += bytes.length
      return undefined
    }
    return this.#writeFull(bytes)
  }

  async #writeFull(bytes: Uint8Array): Promise<void> {
    await this.#flush()
    // Large pieces go to the socket directly instead of being copied.
    if (bytes.length > listSlabs.size / 2) {
      if (this.#sink!.write(bytes)) return
      return this.#drained()
    }
    this.#slab.set(bytes, 0)
    this.#length = bytes.length
  }

  async #flush(): Promise<void> {
    const sink = (this.#sink ??= await this.#open())
    if (this.#length === 0) return
    const full = this.#slab
    const ready = sink.write(full.subarray(0, this.#length), () => listSlabs.release(full))
    this.#slab = listSlabs.take()
    this.#length = 0
    if (!ready) await this.#drained()
  }

  async #drained(): Promise<void> {
    await this.#sink!.drained()
    this.#sliceStart = performance.now()
  }

  /** True when other work should get the thread: then call `nextSlice`. */
  get sliceIsOver(): boolean {
    return performance.now() - this.#sliceStart > sliceMilliseconds
  }

  async nextSlice(): Promise<void> {
    await nextTurn()
    this.#sliceStart = performance.now()
  }

  /** The bytes and what to call when they are written, if all of them fit in the first slab. */
  takeShort(): { readonly bytes: Buffer; readonly written: () => void } | undefined {
    if (this.#sink !== undefined) return undefined
    const slab = this.#slab
    return { bytes: slab.subarray(0, this.#length), written: () => listSlabs.release(slab) }
  }

  async finish(): Promise<void> {
    await this.#flush()
    listSlabs.release(this.#slab)
  }
}
