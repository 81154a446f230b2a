import { constants } from 'node:http2'
import type { ServerHttp2Stream } from 'node:http2'
import { LinkedList } from '@keelson/apimachinery'

/** Divisor of the stall time: an open stream gets a timer after a quarter of it. */
const share = 4

interface OpenStream {
  readonly stream: ServerHttp2Stream
  timed: boolean
  /** Number of checks since the client reset the stream. */
  checksAfterReset: number
}

/**
 * Ends the streams of an HTTP/2 connection whose client does not read pending data. Only streams that stay open for a while get a timer,
 * because a timer costs more than a small response.
 */
export class StreamStalls {
  readonly #stallMs: number
  readonly #open = new LinkedList<OpenStream>()
  #timer: NodeJS.Timeout | undefined

  constructor(stallMs: number) {
    this.#stallMs = stallMs
  }

  get empty(): boolean {
    return this.#open.first === undefined
  }

  add(stream: ServerHttp2Stream): void {
    const node = this.#open.add({ stream, timed: false, checksAfterReset: 0 })
    stream.on('close', () => this.#open.remove(node))
    if (this.#timer !== undefined) return
    this.#timer = setInterval(() => this.#check(), this.#stallMs / share)
    this.#timer.unref()
  }

  stop(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  #check(): void {
    if (this.empty) return this.stop()
    for (const open of this.#open) {
      const { stream } = open
      // Destroys a stream that the client reset without an error. Before Node 26.10, such a stream has no timer and waits forever for its
      // response to be written.
      if (stream.closed && ++open.checksAfterReset > share) stream.destroy()
      if (open.timed) continue
      open.timed = true
      stream.setTimeout(this.#stallMs, () => {
        if (stream.writableLength > 0) stream.close(constants.NGHTTP2_CANCEL)
      })
    }
  }
}
