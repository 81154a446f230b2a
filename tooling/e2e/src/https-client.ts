import https from 'node:https'
import { connect } from 'node:tls'
import type { TLSSocket } from 'node:tls'

export interface Answer {
  readonly status: number
  readonly headers: Record<string, string | string[] | undefined>
  readonly bytes: Buffer
  readonly text: string
  parseJson<T = Record<string, unknown>>(): T
}

export interface RequestOptions {
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string | string[]>>
  readonly token?: string
  readonly signal?: AbortSignal
}

/** A minimal HTTPS client that returns the server's responses unchanged. */
export class HttpsClient implements Disposable {
  readonly #agent: https.Agent
  readonly #url: string
  readonly #token: string

  constructor(url: string, token: string, sockets = 32) {
    this.#url = url
    this.#token = token
    this.#agent = new https.Agent({ keepAlive: true, maxSockets: sockets, rejectUnauthorized: false })
  }

  request(method: string, path: string, options: RequestOptions = {}): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const raw = options.body === undefined ? undefined : typeof options.body === 'string' ? options.body : JSON.stringify(options.body)
      const request = https.request(
        this.#url + path,
        {
          method,
          agent: this.#agent,
          ...(options.signal && { signal: options.signal }),
          headers: {
            accept: 'application/json',
            authorization: `Bearer ${options.token ?? this.#token}`,
            ...(raw === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(raw) }),
            ...options.headers,
          },
        },
        (response) => {
          const chunks: Buffer[] = []
          response.on('data', (chunk: Buffer) => chunks.push(chunk))
          response.on('error', reject)
          response.on('end', () => {
            const bytes = Buffer.concat(chunks)
            const text = bytes.toString()
            resolve({ status: response.statusCode ?? 0, headers: response.headers, bytes, text, parseJson: <T>() => JSON.parse(text) as T })
          })
        },
      )
      request.on('error', reject)
      request.end(raw)
    })
  }

  /** Sends a GET with an `Upgrade` header. Resolves with the connection and the head of the response. */
  upgrade(path: string, headers: Readonly<Record<string, string>>): Promise<{ readonly socket: TLSSocket; readonly head: string }> {
    const { hostname, port } = new URL(this.#url)
    return new Promise((resolve, reject) => {
      const socket = connect({ host: hostname, port: Number(port), rejectUnauthorized: false }, () => {
        const allHeaders = Object.entries({ Host: 'server', Authorization: `Bearer ${this.#token}`, ...headers })
        socket.write(`GET ${path} HTTP/1.1\r\n${allHeaders.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`)
      })
      let head = ''
      const take = (chunk: Buffer): void => {
        head += chunk.toString('latin1')
        if (!head.includes('\r\n\r\n')) return
        socket.off('data', take)
        socket.pause()
        resolve({ socket, head })
      }
      socket.on('data', take)
      socket.once('error', reject)
    })
  }

  [Symbol.dispose](): void {
    this.#agent.destroy()
  }
}
