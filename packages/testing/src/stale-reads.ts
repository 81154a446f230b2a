import { sendBytes } from '@keelson/exchange'
import type { Exchange } from '@keelson/exchange'
import type { ClusterHost } from './cluster-host.ts'

/** Headers of a request that decide how its response is encoded. */
const forwardedHeaders = ['accept', 'accept-encoding', 'user-agent'] as const

/** A server with the state of a past moment. It starts when it is read first. */
export class PastServer {
  readonly #start: () => Promise<ClusterHost>
  #host: Promise<ClusterHost> | undefined

  constructor(start: () => Promise<ClusterHost>) {
    this.#start = start
  }

  /** Answers a get or list with the past state. */
  async serve(exchange: Exchange): Promise<void> {
    const { chain } = await (this.#host ??= this.#start())
    const headers = new Headers()
    for (const name of forwardedHeaders) headers.set(name, exchange.getHeader(name) ?? '')
    const { method, user, signal, target } = exchange
    const response = await chain.fetch(target.text, { method, headers, user, signal })
    const body = new Uint8Array(await response.arrayBuffer())
    const responseHeaders: Record<string, string> = {}
    for (const name of ['content-type', 'content-encoding', 'vary']) {
      const value = response.headers.get(name)
      if (value !== null) responseHeaders[name] = value
    }
    sendBytes(exchange, response.status, responseHeaders, body)
  }

  async close(): Promise<void> {
    await (await this.#host)?.close()
  }
}
