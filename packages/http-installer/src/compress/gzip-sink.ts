import { constants, createGzip } from 'node:zlib'
import type { Gzip } from 'node:zlib'
import type { ResponseSink } from '@keelson/exchange'

/**
 * A response sink that compresses with gzip on zlib's threads; the main thread only passes buffers on. If the client does not read, the
 * compressor stops, and then the writer. Uses the fastest compression level, like kube-apiserver.
 */
export class GzipSink implements ResponseSink {
  readonly #sink: ResponseSink
  readonly #gzip: Gzip = createGzip({ level: constants.Z_BEST_SPEED, chunkSize: 64 * 1024 })
  #wake: (() => void) | undefined
  #failure: unknown

  constructor(sink: ResponseSink) {
    this.#sink = sink
    this.#gzip.on('data', (chunk: Buffer) => this.#pass(chunk))
    this.#gzip.on('drain', this.#wakeUp)
    this.#gzip.on('error', (error) => {
      this.#failure = error
    })
    this.#gzip.on('close', this.#wakeUp)
    sink.onClose(() => this.#gzip.destroy())
  }

  get closed(): boolean {
    return this.#sink.closed
  }

  write(chunk: Uint8Array | string, written?: () => void): boolean {
    if (this.#gzip.destroyed) return true
    // Ignores the error that the callback gets if the compressor ended before the chunk, because the client has then disconnected.
    return this.#gzip.write(chunk, () => written?.())
  }

  waitForDrain(): Promise<void> {
    if (this.#gzip.destroyed || !this.#gzip.writableNeedDrain) return Promise.resolve()
    return new Promise((resolve) => (this.#wake = resolve))
  }

  onClose(listener: () => void): void {
    this.#sink.onClose(listener)
  }

  cork(): void {}
  uncork(): void {}

  /** Resolves when all bytes have been sent, or when the client has disconnected. Rejects if the compression failed. */
  async finish(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#gzip.once('close', resolve)
      if (this.#gzip.destroyed) resolve()
      else this.#gzip.end()
    })
    if (this.#failure !== undefined) throw this.#failure
  }

  destroy(): void {
    this.#gzip.destroy()
  }

  #pass(chunk: Buffer): void {
    if (this.#sink.write(chunk)) return
    this.#gzip.pause()
    void this.#sink.waitForDrain().then(() => this.#gzip.resume())
  }

  readonly #wakeUp = (): void => {
    const wake = this.#wake
    this.#wake = undefined
    wake?.()
  }
}
