import https from 'node:https'

export interface Answer {
  readonly status: number
  readonly headers: Record<string, string | string[] | undefined>
  readonly text: string
  json<T = Record<string, unknown>>(): T
}

export interface RequestOptions {
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly token?: string
}

/** A plain client that shows exactly what the server answered. */
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
            const text = Buffer.concat(chunks).toString()
            resolve({ status: response.statusCode ?? 0, headers: response.headers, text, json: <T>() => JSON.parse(text) as T })
          })
        },
      )
      request.on('error', reject)
      request.end(raw)
    })
  }

  [Symbol.dispose](): void {
    this.#agent.destroy()
  }
}
