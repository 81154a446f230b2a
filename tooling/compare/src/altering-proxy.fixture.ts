import { HttpsClient } from '@keelson/tooling-e2e/https-client'
import { createSelfSigned } from '@keelson/tooling-bench/self-signed'
import type { IncomingMessage } from 'node:http'
import https from 'node:https'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

export interface Passing {
  readonly method: string
  readonly path: string
  readonly code: number
  readonly body: string
}

/** Stands before a server; `alter` says what the caller sees instead of an answer's body. Answers that go on do not get through. */
export async function startAlteringProxy(
  server: { readonly url: string; readonly token: string },
  alter: (passing: Passing) => string,
): Promise<AsyncDisposable & { readonly url: string }> {
  const client = new HttpsClient(server.url, server.token)
  const pass = async (request: IncomingMessage): Promise<{ code: number; headers: Record<string, string>; body: string }> => {
    const { method = '', url: path = '' } = request
    const sent = await text(request)
    const named = ['accept', 'content-type', 'impersonate-user', 'impersonate-group'].flatMap((name) =>
      request.headers[name] === undefined ? [] : [[name, String(request.headers[name])]],
    )
    const answer = await client.request(method, path, {
      headers: Object.fromEntries(named) as Record<string, string>,
      ...(sent !== '' && { body: sent }),
    })
    const kept = ['content-type', 'warning'].filter((name) => answer.headers[name] !== undefined)
    return {
      code: answer.status,
      headers: Object.fromEntries(kept.map((name) => [name, String(answer.headers[name])])),
      body: alter({ method, path, code: answer.status, body: answer.text }),
    }
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
