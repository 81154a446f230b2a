import { sliceMilliseconds, waitForShare } from '@keelson/apimachinery'
import type { ResponseSink } from '@keelson/exchange'
import { listSlabs } from './splice.ts'

/**
 * Collects small writes in fixed-size buffers from a pool (slabs). The first slab is kept until `finish`, so that a short response can be
 * sent with its length. If a second slab is needed, `open` is called to start a streamed response.
 */
export class SlabWriter {
  readonly #open: () => Promise<ResponseSink>
  readonly #user: string
  #sink: ResponseSink | undefined
  #slab: Buffer = listSlabs.take()
  #length = 0
  #sliceStart = performance.now()

  /** `user` is the name of the user who gets the response. */
  constructor(user: string, open: () => Promise<ResponseSink>) {
    this.#user = user
    this.#open = open
  }

  get closed(): boolean {
    return this.#sink?.closed === true
  }

  /**
   * Reserves `length` bytes and returns their offset in `slab`. Call `advance` after writing the bytes. Returns undefined if there is no
   * room; call `makeRoom` then.
   */
  reserve(length: number): number | undefined {
    return this.#length + length <= listSlabs.size ? this.#length : undefined
  }

  get slab(): Buffer {
    return this.#slab
  }

  advance(end: number): void {
    this.#length = end
  }

  /** Starts a new slab. Resolves to false if the length exceeds the size of a slab. Use `write` in that case. */
  async makeRoom(length: number): Promise<boolean> {
    await this.#flush()
    return length <= listSlabs.size
  }

  /** Writes bytes. Returns undefined if all bytes are written, or a promise that waits for the socket. */
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
    // Sends large buffers to the socket directly, because copying them would cost more.
    if (bytes.length > listSlabs.size / 2) {
      if (this.#sink!.write(bytes)) return
      return this.#waitForDrain()
    }
    this.#slab.set(bytes, 0)
    this.#length = bytes.length
  }

  async #flush(): Promise<void> {
    const sink = (this.#sink ??= await this.#start())
    if (this.#length === 0) return
    const full = this.#slab
    const ready = sink.write(full.subarray(0, this.#length), () => listSlabs.release(full))
    this.#slab = listSlabs.take()
    this.#length = 0
    if (!ready) await this.#waitForDrain()
  }

  /** Starts the streamed response. Waits first, because many large responses may start in the same turn. */
  async #start(): Promise<ResponseSink> {
    await this.nextSlice()
    return this.#open()
  }

  async #waitForDrain(): Promise<void> {
    await this.#sink!.waitForDrain()
    this.#sliceStart = performance.now()
  }

  /** True if the time slice has ended, so that other work should run. */
  get sliceIsOver(): boolean {
    return performance.now() - this.#sliceStart > sliceMilliseconds
  }

  async nextSlice(): Promise<void> {
    await waitForShare(this.#user)
    this.#sliceStart = performance.now()
  }

  /** Returns the bytes and a callback to run after sending them, if all bytes fit in the first slab. */
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
