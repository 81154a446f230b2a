import type { Dialer, EgressNetwork, OutboundClient, TlsSettings } from '@keelson/outbound'

export interface FetchedDocument {
  readonly status: number
  readonly body: string
}

/** Fetches documents of an identity provider. */
export interface DocumentFetcher extends Disposable {
  /** Follows redirects. Rejects with Go's words if there is no answer. */
  get(url: string, headers?: Readonly<Record<string, string>>): Promise<FetchedDocument>
}

export interface DocumentFetcherOptions {
  readonly dialer: Dialer
  readonly tls: TlsSettings
  readonly network?: EgressNetwork | undefined
}

const maxRedirects = 10
/** Servers that are connected at the same time. A provider has one or two. */
const maxClients = 8
const timeoutMs = 30_000
/** Documents are a few kilobytes. */
const maxBytes = 1024 * 1024

/** Creates a fetcher whose connections have one set of authorities. Only https is followed. */
export function createDocumentFetcher({ dialer, tls, network }: DocumentFetcherOptions): DocumentFetcher {
  const clients = new Map<string, OutboundClient>()
  function clientOf({ origin }: URL): OutboundClient {
    let client = clients.get(origin)
    if (client === undefined) {
      client = dialer.client({ url: origin, tls, ...(network !== undefined && { network }) })
      clients.set(origin, client)
      const [oldest] = clients
      if (clients.size > maxClients && oldest !== undefined) {
        clients.delete(oldest[0])
        oldest[1][Symbol.dispose]()
      }
    }
    return client
  }
  return {
    async get(text, headers = {}) {
      let url = new URL(text)
      for (let i = 0; i <= maxRedirects; i++) {
        if (url.protocol !== 'https:')
          throw new Error(`Get ${JSON.stringify(url.href)}: unsupported protocol scheme ${JSON.stringify(url.protocol.slice(0, -1))}`)
        const answer = await clientOf(url).request({
          path: `${url.pathname}${url.search}`,
          // Credentials stay with the server that they were for.
          headers: { accept: 'application/json', ...(url.origin === new URL(text).origin && headers) },
          timeoutMs,
          maxBytes,
        })
        if (answer.failed) throw new Error(answer.message, { cause: answer.error })
        const { location } = answer.headers
        const isRedirect = [301, 302, 303, 307, 308].includes(answer.status) && location !== undefined
        if (!isRedirect) return { status: answer.status, body: answer.body.toString('utf8') }
        url = new URL(location, url)
      }
      throw new Error(`Get ${JSON.stringify(url.href)}: stopped after ${maxRedirects} redirects`)
    },
    [Symbol.dispose]: () => {
      for (const client of clients.values()) client[Symbol.dispose]()
    },
  }
}
