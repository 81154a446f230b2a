import http2 from 'node:http2'
import type { ClientHttp2Session, IncomingHttpHeaders } from 'node:http2'

export interface Http2Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

export interface Http2Request {
  readonly body?: Uint8Array
  readonly headers?: Readonly<Record<string, string>>
  /** Whether to resolve after the first bytes of the response, for streams that do not end. */
  readonly firstBytesOnly?: boolean
}

/** An HTTP/2 connection that sends request bodies and returns response bodies unchanged. */
export class Http2Client implements Disposable {
  readonly #session: ClientHttp2Session
  readonly #token: string

  constructor(url: string, token: string) {
    this.#session = http2.connect(url, { rejectUnauthorized: false })
    this.#token = token
  }

  request(method: string, path: string, { body, headers = {}, firstBytesOnly = false }: Http2Request = {}): Promise<Http2Answer> {
    return new Promise((resolve, reject) => {
      const stream = this.#session.request(
        { ':method': method, ':path': path, authorization: `Bearer ${this.#token}`, ...headers },
        { endStream: body === undefined },
      )
      let answered: IncomingHttpHeaders = {}
      const chunks: Buffer[] = []
      const finishRequest = (): void => resolve({ status: Number(answered[':status']), headers: answered, body: Buffer.concat(chunks) })
      stream.on('response', (responseHeaders) => (answered = responseHeaders))
      stream.on('data', (chunk: Buffer) => {
        chunks.push(chunk)
        if (!firstBytesOnly) return
        finishRequest()
        stream.close(http2.constants.NGHTTP2_CANCEL)
      })
      stream.on('end', finishRequest)
      stream.on('error', reject)
      if (body !== undefined) stream.end(body)
    })
  }

  [Symbol.dispose](): void {
    this.#session.destroy()
  }
}
