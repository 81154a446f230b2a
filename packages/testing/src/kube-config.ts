/** The members of client-node's `KubeConfig` that are used, so that this package works without client-node. */
export interface KubeConfigOfClientNode {
  loadFromOptions(options: unknown): void
  applySecurityAuthentication(context: never): Promise<void>
}

type Fetch = (input: string, init?: RequestInit) => Promise<Response>

interface KubeConfigParts {
  readonly fetch: Fetch
  /** URL of the server, for connections that are no HTTP requests: exec, attach, port-forward. Undefined if the server has no port. */
  readonly url: string | undefined
  readonly certificateAuthority: string
  readonly userName: string
  readonly token: string
}

/** URL of a server without a port. Nothing connects to it, because requests are served in process. */
const inProcessUrl = 'https://keelson.invalid'

/**
 * Fills a `KubeConfig` whose requests and watches are served in process. client-node sends them with undici's `fetch`, which accepts a custom
 * dispatcher for each request. WebSockets (exec, attach, port-forward) need the port of the server.
 */
export function fillKubeConfig<T extends KubeConfigOfClientNode>(config: T, values: KubeConfigParts): T {
  const { url = inProcessUrl, certificateAuthority, userName, token } = values
  config.loadFromOptions({
    clusters: [{ name: 'keelson', server: url, caData: Buffer.from(certificateAuthority).toString('base64'), skipTLSVerify: false }],
    users: [{ name: userName, token }],
    contexts: [{ name: 'keelson', cluster: 'keelson', user: userName }],
    currentContext: 'keelson',
  })
  const dispatcher = new FetchDispatcher(values.fetch)
  config.applySecurityAuthentication = async (context: { setDispatcher?(value: unknown): void }) => {
    if (context.setDispatcher === undefined) {
      throw new Error('kubeConfig needs @kubernetes/client-node 2; for older versions call listen() and load the text of kubeconfig()')
    }
    context.setDispatcher(dispatcher)
  }
  return config
}

interface DispatchOptions {
  readonly path: string
  readonly method: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: AsyncIterable<Uint8Array> | null
}

/** The handler of undici 7 and later. */
interface DispatchHandler {
  onRequestStart?(controller: DispatchController, context: unknown): void
  onResponseStart?(controller: DispatchController, status: number, headers: Record<string, string | string[]>, statusText: string): void
  onResponseData?(controller: DispatchController, chunk: Buffer): void
  onResponseEnd?(controller: DispatchController, trailers: object): void
  onResponseError?(controller: DispatchController, error: unknown): void
}

/** An undici dispatcher that serves requests in process. */
class FetchDispatcher {
  readonly #fetch: Fetch

  constructor(fetch: Fetch) {
    this.#fetch = fetch
  }

  dispatch(options: DispatchOptions, handler: DispatchHandler): boolean {
    const controller = new DispatchController()
    handler.onRequestStart?.(controller, {})
    this.#serve(options, handler, controller).catch((error: unknown) => handler.onResponseError?.(controller, controller.reason ?? error))
    return true
  }

  async #serve(
    { path, method, headers = {}, body }: DispatchOptions,
    handler: DispatchHandler,
    controller: DispatchController,
  ): Promise<void> {
    const chunks: Uint8Array[] = []
    if (body) for await (const chunk of body) chunks.push(chunk)
    const { signal } = controller
    const response = await this.#fetch(path, { method, headers, signal, ...(chunks.length > 0 && { body: Buffer.concat(chunks) }) })
    controller.rawHeaders = [...response.headers].flat().map((text) => Buffer.from(text, 'latin1'))
    handler.onResponseStart?.(controller, response.status, Object.fromEntries(response.headers), response.statusText)
    for await (const chunk of response.body ?? []) {
      await controller.resumed
      handler.onResponseData?.(controller, Buffer.from(chunk))
    }
    handler.onResponseEnd?.(controller, {})
  }
}

class DispatchController {
  /** Alternating names and values. undici's `fetch` reads only these. */
  rawHeaders: readonly Buffer[] = []
  resumed: Promise<void> | undefined = undefined
  reason: Error | null = null
  readonly #abort = new AbortController()
  #resume: (() => void) | undefined

  get signal(): AbortSignal {
    return this.#abort.signal
  }

  get aborted(): boolean {
    return this.#abort.signal.aborted
  }

  get paused(): boolean {
    return this.resumed !== undefined
  }

  pause(): void {
    this.resumed ??= new Promise((resolve) => (this.#resume = resolve))
  }

  resume(): void {
    this.#resume?.()
    this.resumed = undefined
  }

  abort(reason: Error): void {
    this.reason ??= reason
    this.resume()
    this.#abort.abort(reason)
  }
}
