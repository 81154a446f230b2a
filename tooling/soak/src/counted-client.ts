import { Http2Client } from '@keelson/tooling-e2e/http2-client'
import { HttpsClient } from '@keelson/tooling-e2e/https-client'
import { token } from './soaked-server.ts'
import type { Tally } from './tally.ts'

export interface CountedRequest {
  readonly method: string
  readonly path: string
  readonly body?: object | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Labels with which the server counts the request. Undefined for requests that the server does not count. */
  readonly labels: RequestLabels | undefined
}

/** Labels of the server's request metrics, as documented for kube-apiserver. */
export interface RequestLabels {
  readonly verb: string
  readonly group: string
  readonly version: string
  readonly resource: string
  readonly subresource: string
  readonly scope: string
  readonly dry_run: string
}

export interface CountedAnswer {
  readonly status: number
  readonly body: Buffer
  readonly milliseconds: number
}

const http2Connections = 4
const http1Connections = 16

/** Sends requests over HTTP/1.1 and HTTP/2 and counts them. */
export class CountedClient implements Disposable {
  readonly #http1: HttpsClient
  readonly #http2: readonly Http2Client[]
  readonly #tally: Tally
  #next = 0

  constructor(url: string, tally: Tally) {
    this.#http1 = new HttpsClient(url, token, http1Connections)
    this.#http2 = Array.from({ length: http2Connections }, () => new Http2Client(url, token))
    this.#tally = tally
  }

  async send({ method, path, body, headers = {}, labels }: CountedRequest): Promise<CountedAnswer> {
    const sentHeaders = { accept: 'application/json', ...(body !== undefined && { 'content-type': 'application/json' }), ...headers }
    const startTime = performance.now()
    const { status, bytes } = await this.#dispatch(method, path, sentHeaders, body)
    const milliseconds = performance.now() - startTime
    this.#tally.countRequest(labels, status, bytes.length)
    return { status, body: bytes, milliseconds }
  }

  async #dispatch(
    method: string,
    path: string,
    headers: Readonly<Record<string, string>>,
    body: object | undefined,
  ): Promise<{ readonly status: number; readonly bytes: Buffer }> {
    const turn = this.#next++ % (http2Connections + 1)
    const connection = this.#http2[turn]
    if (connection === undefined) return this.#http1.request(method, path, { headers, body })
    const raw = body === undefined ? undefined : Buffer.from(JSON.stringify(body))
    const answer = await connection.request(method, path, { headers, ...(raw && { body: raw }) })
    return { status: answer.status, bytes: answer.body }
  }

  [Symbol.dispose](): void {
    this.#http1[Symbol.dispose]()
    for (const client of this.#http2) client[Symbol.dispose]()
  }
}
