import { constants } from 'node:http2'
import type { ServerHttp2Stream } from 'node:http2'

/** Of the time that a client may take nothing, until a stream gets a timer. */
const share = 4

/**
 * The open streams of one connection, to end those whose client takes nothing of what waits for it. Only those that last get a timer, for it costs more
 * than a small answer.
 */
export class StreamStalls {
  readonly #stallMs: number
  readonly #timed = new Map<ServerHttp2Stream, boolean>()
  /** One for all of them: a small answer should not have to make its own. */
  readonly #forget: (this: ServerHttp2Stream) => void
  #timer: NodeJS.Timeout | undefined

  constructor(stallMs: number) {
    this.#stallMs = stallMs
    const timed = this.#timed
    this.#forget = function () {
      timed.delete(this)
    }
  }

  get empty(): boolean {
    return this.#timed.size === 0
  }

  add(stream: ServerHttp2Stream): void {
    this.#timed.set(stream, false)
    stream.on('close', this.#forget)
    if (this.#timer !== undefined) return
    this.#timer = setInterval(() => this.#look(), this.#stallMs / share)
    this.#timer.unref()
  }

  stop(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  #look(): void {
    if (this.empty) return this.stop()
    for (const [stream, timed] of this.#timed) {
      if (timed) continue
      this.#timed.set(stream, true)
      stream.setTimeout(this.#stallMs, () => {
        if (stream.writableLength > 0) stream.close(constants.NGHTTP2_CANCEL)
      })
    }
  }
}
