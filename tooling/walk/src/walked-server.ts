import { subscribe } from 'node:diagnostics_channel'
import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import type { EmbeddedBackend } from '@keelson/backend-embedded'
import { HttpsClient } from '@keelson/tooling-e2e/https-client'
import type { Answer, RequestOptions } from '@keelson/tooling-e2e/https-client'

export const namespace = 'walk'

/** A server in this process that listens on a port. It has an embedded store on disk and a namespace for the walk. */
export class WalkedServer implements AsyncDisposable {
  readonly backend: EmbeddedBackend
  readonly url: string
  readonly token: string
  readonly #client: HttpsClient
  readonly #stop: () => Promise<void>
  /** Callback for a request of `send`, called when the server has read the request headers. */
  onRequest: () => void = () => {}

  private constructor(backend: EmbeddedBackend, url: string, token: string, stop: () => Promise<void>) {
    this.backend = backend
    this.url = url
    this.token = token
    this.#client = new HttpsClient(url, token, 1)
    this.#stop = stop
    subscribe('http.server.request.start', () => this.onRequest())
  }

  /** Starts a server. Imports the server's modules here, because V8 counts only code that it compiles after the trace is open. */
  static async start(): Promise<WalkedServer> {
    const dataDir = await mkdtemp(path.join(os.tmpdir(), 'keelson-walk-'))
    const { openEmbedded } = await import('@keelson/backend-embedded')
    const { createServerChain } = await import('@keelson/control-plane')
    const backend = await openEmbedded({ dataDir })
    const chain = await createServerChain({ storage: { type: 'embedded', backend }, controllers: ['none'], log: () => {} })
    await chain.listen()
    await chain.ready
    const server = new WalkedServer(backend, chain.url, chain.adminToken, async () => {
      await chain.close()
      await backend[Symbol.asyncDispose]()
      await rm(dataDir, { recursive: true })
    })
    await server.send('POST', '/api/v1/namespaces', { body: { metadata: { name: namespace } } })
    // The server runs without controllers, so that their informers are not traced. Create the default service account here, because pods
    // need it.
    await server.send('POST', `/api/v1/namespaces/${namespace}/serviceaccounts`, { body: { metadata: { name: 'default' } } })
    return server
  }

  /** Sends a request. Throws if the response is an error. */
  async send(method: string, target: string, options?: RequestOptions): Promise<Answer> {
    const answer = await this.#client.request(method, target, options)
    if (answer.status >= 300) throw new Error(`${method} ${target}: ${answer.status} ${answer.text}`)
    return answer
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#client[Symbol.dispose]()
    await this.#stop()
  }
}
