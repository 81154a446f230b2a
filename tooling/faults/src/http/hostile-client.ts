import https from 'node:https'
import { connect } from 'node:tls'
import type { TLSSocket } from 'node:tls'
import type { HostileRequest } from './hostile-request.ts'
import type { ReceivedAnswer } from './judge-answer.ts'

const timeoutMs = 30_000

/**
 * A client that sends hostile requests to one server. A request without a response in time is an error. A closed connection is not an
 * error.
 */
export class HostileClient implements Disposable {
  readonly #port: number
  readonly #token: string
  readonly #agent = new https.Agent({ keepAlive: true, maxSockets: 16, rejectUnauthorized: false })

  constructor(port: number, token: string) {
    this.#port = port
    this.#token = token
  }

  /** Sends a request. Returns undefined if the server closed the connection or streams without end. Throws after a timeout. */
  send({ method, path, headers, body }: HostileRequest): Promise<ReceivedAnswer | undefined> {
    return new Promise((resolve, reject) => {
      const request = https.request({
        host: '127.0.0.1',
        port: this.#port,
        method,
        path,
        agent: this.#agent,
        headers: { authorization: `Bearer ${this.#token}`, ...headers, ...(body === undefined ? {} : { 'content-length': body.length }) },
      })
      const timer = setTimeout(() => {
        request.destroy()
        reject(new Error(`no response within ${timeoutMs / 1000} s`))
      }, timeoutMs)
      const settle = (answer: ReceivedAnswer | undefined): void => {
        clearTimeout(timer)
        resolve(answer)
      }
      request.on('upgrade', (_, socket) => {
        socket.destroy()
        settle(undefined)
      })
      request.on('response', (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('end', () =>
          settle({
            status: response.statusCode ?? 0,
            type: response.headers['content-type'] ?? '',
            body: Buffer.concat(chunks).toString(),
          }),
        )
        response.on('error', () => settle(undefined))
        if (response.statusCode === 200 && path.includes('watch')) request.destroy()
      })
      request.on('error', () => settle(undefined))
      request.end(body)
    })
  }

  /** Sends raw bytes. Throws if the server neither responds nor closes the connection in time. */
  sendRaw(bytes: Buffer): Promise<void> {
    return new Promise((resolve, reject) => {
      const socket = this.open()
      const timer = setTimeout(() => {
        socket.destroy()
        reject(
          new Error(
            `neither a response nor a close within ${timeoutMs / 1000} s: ${JSON.stringify(bytes.toString('latin1').slice(0, 200))}`,
          ),
        )
      }, timeoutMs)
      const finishRequest = (): void => {
        clearTimeout(timer)
        socket.destroy()
        resolve()
      }
      socket.once('data', finishRequest)
      socket.once('close', finishRequest)
      // Ends the stream after the bytes, so that the server sees an incomplete request.
      socket.end(bytes)
    })
  }

  open(): TLSSocket {
    const socket = connect({ host: '127.0.0.1', port: this.#port, rejectUnauthorized: false })
    socket.on('error', () => socket.destroy())
    // Reads from the socket, because a paused socket does not notice that the server has closed the connection.
    socket.resume()
    return socket
  }

  [Symbol.dispose](): void {
    this.#agent.destroy()
  }
}
