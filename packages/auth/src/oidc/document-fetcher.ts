import type { Dialer, EgressNetwork, OutboundClient, TlsSettings } from '@keelson/outbound'

export interface FetchedDocument {
  readonly status: number
  readonly body: string
}

/** Fetches JSON documents and keys of an identity provider. */
export interface DocumentFetcher extends Disposable {
  /** Sends a GET request and follows redirects. Rejects with an error in the words of Go's HTTP client if no response arrives. */
  get(url: string, headers?: Readonly<Record<string, string>>): Promise<FetchedDocument>
}

export interface DocumentFetcherOptions {
  readonly dialer: Dialer
  readonly tls: TlsSettings
  /** Network for egress selection. Default: `direct`. */
  readonly network?: EgressNetwork
}

const maxRedirects = 10
/** Maximum number of servers with open connections. A provider uses one or two. */
const maxClients = 8
const timeoutMs = 30_000
/** Maximum size of a document. Documents usually have a few kilobytes. */
const maxBytes = 1024 * 1024

/** Creates a fetcher. All its connections trust the same CA certificates. Only https URLs are fetched. */
export function createDocumentFetcher({ dialer, tls, network = 'direct' }: DocumentFetcherOptions): DocumentFetcher {
  const clients = new Map<string, OutboundClient>()
  function findClient({ origin }: URL): OutboundClient {
    let client = clients.get(origin)
    if (client === undefined) {
      client = dialer.client({ url: origin, tls, network })
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
        const answer = await findClient(url).request({
          path: `${url.pathname}${url.search}`,
          // Credentials are only sent to the origin of the first URL, not to redirect targets.
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
