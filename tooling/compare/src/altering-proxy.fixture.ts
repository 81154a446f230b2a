import { HttpsClient } from '@keelson/tooling-e2e/https-client'
import { createSelfSigned } from '@keelson/tooling-bench/self-signed'
import type { IncomingMessage } from 'node:http'
import https from 'node:https'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/** A response that the proxy has received from the server. */
export interface ProxiedResponse {
  readonly method: string
  readonly path: string
  readonly code: number
  readonly body: string
  /** The headers that the proxy passes on. */
  readonly headers: Readonly<Record<string, string>>
}

/** Replacements of parts of a response. */
export type Alteration = Partial<Pick<ProxiedResponse, 'body' | 'headers'>>

const passedHeaders = ['content-type', 'warning', 'x-kubernetes-pf-flowschema-uid', 'x-kubernetes-pf-prioritylevel-uid']

/**
 * Starts a proxy that changes the responses of a server. `alter` returns the new body, or replacements of body and headers. Does not support
 * streamed responses.
 */
export async function startAlteringProxy(
  server: { readonly url: string; readonly token: string },
  alter: (response: ProxiedResponse) => string | Alteration,
): Promise<AsyncDisposable & { readonly url: string }> {
  const client = new HttpsClient(server.url, server.token)
  const pass = async (request: IncomingMessage): Promise<Pick<ProxiedResponse, 'code' | 'headers' | 'body'>> => {
    const { method = '', url: path = '' } = request
    const body = await text(request)
    const requestHeaders = ['accept', 'content-type', 'impersonate-user', 'impersonate-group'].flatMap((name) =>
      request.headers[name] === undefined ? [] : [[name, String(request.headers[name])]],
    )
    const answer = await client.request(method, path, {
      headers: Object.fromEntries(requestHeaders) as Record<string, string>,
      ...(body !== '' && { body }),
    })
    const headerNames = passedHeaders.filter((name) => answer.headers[name] !== undefined)
    const headers = Object.fromEntries(headerNames.map((name) => [name, String(answer.headers[name])]))
    const received = { method, path, code: answer.status, body: answer.text, headers }
    const altered = alter(received)
    return { ...received, ...(typeof altered === 'string' ? { body: altered } : altered) }
  }
  const proxy = https.createServer(createSelfSigned(), (request, response) => {
    pass(request).then(
      ({ code, headers, body }) => response.writeHead(code, headers).end(body),
      (error: unknown) => response.destroy(error as Error),
    )
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  return {
    url: `https://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      client[Symbol.dispose]()
      proxy.closeAllConnections()
      await new Promise((resolve) => proxy.close(resolve))
    },
  }
}
