/**
 * Finds the end of each HTTP/1.1 response in a byte stream. Discards the bodies, because the client must use much less processor time than
 * the server. Supports Content-Length and chunked encoding without trailers.
 */
export class ResponseReader {
  readonly #onResponse: (status: number) => void
  readonly #onBody: ((piece: Buffer) => void) | undefined
  #rest: Buffer | undefined
  #state: 'head' | 'length' | 'chunkSize' | 'chunk' = 'head'
  #remaining = 0
  #status = 0

  constructor(onResponse: (status: number) => void, onBody?: (piece: Buffer) => void) {
    this.#onResponse = onResponse
    this.#onBody = onBody
  }

  push(data: Buffer): void {
    let buffer = this.#rest === undefined ? data : Buffer.concat([this.#rest, data])
    this.#rest = undefined
    while (buffer.length > 0) {
      const used = this.#step(buffer)
      if (used === 0) {
        this.#rest = buffer
        return
      }
      buffer = buffer.subarray(used)
    }
  }

  /** Parses the next part of a response. Returns the number of bytes that it used, or 0 if it needs more bytes. */
  #step(buffer: Buffer): number {
    switch (this.#state) {
      case 'head':
        return this.#head(buffer)
      case 'chunkSize': {
        const end = buffer.indexOf('\r\n')
        if (end < 0) return 0
        const size = parseInt(buffer.toString('latin1', 0, end), 16)
        // The last chunk is followed by an empty line, which must be complete.
        if (size === 0 && buffer.length < end + 4) return 0
        if (size === 0) this.#finish()
        else this.#begin('chunk', size + 2)
        return size === 0 ? end + 4 : end + 2
      }
      case 'length':
      case 'chunk': {
        const used = Math.min(this.#remaining, buffer.length)
        const tail = this.#state === 'chunk' ? 2 : 0
        const content = Math.min(used, this.#remaining - tail)
        if (content > 0) this.#onBody?.(buffer.subarray(0, content))
        this.#remaining -= used
        if (this.#remaining === 0 && this.#state === 'length') this.#finish()
        else if (this.#remaining === 0) this.#state = 'chunkSize'
        return used
      }
    }
  }

  #head(buffer: Buffer): number {
    const end = buffer.indexOf('\r\n\r\n')
    if (end < 0) return 0
    const head = buffer.toString('latin1', 0, end)
    this.#status = Number(head.slice(9, 12))
    const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1]
    if (length === undefined && /\r\ntransfer-encoding: *chunked/i.test(head)) this.#state = 'chunkSize'
    else if (Number(length ?? 0) > 0) this.#begin('length', Number(length))
    else this.#finish()
    return end + 4
  }

  #begin(state: 'length' | 'chunk', remaining: number): void {
    this.#state = state
    this.#remaining = remaining
  }

  #finish(): void {
    this.#state = 'head'
    this.#onResponse(this.#status)
  }
}
