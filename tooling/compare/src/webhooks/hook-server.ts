import type { JsonObject } from '@keelson/apimachinery'
import { createSelfSigned } from '@keelson/tooling-bench/self-signed'
import type { IncomingMessage, ServerResponse } from 'node:http'
import https from 'node:https'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { answerReview } from './hook-behaviors.ts'
import type { HookAnswer, ReviewRequest } from './hook-behaviors.ts'

/** A call of a webhook: what is compared of it. */
export type HookCall = JsonObject & { readonly path: string }

/** Webhooks for one of the compared servers. The path of a webhook has its set, its name and its behavior: "/set-1/m0/allow". */
export interface HookServer extends AsyncDisposable {
  readonly url: string
  readonly port: number
  readonly caBundle: string
  /** Returns the calls of a set since the last call of this function. */
  takeCalls(set: string): readonly HookCall[]
}

/** Starts webhooks with a certificate for 127.0.0.1, "localhost" and other names. */
export async function startHookServer(names: readonly string[]): Promise<HookServer> {
  const { key, cert } = createSelfSigned(names)
  let calls: (readonly [set: string, call: HookCall])[] = []
  const server = https.createServer({ key, cert }, (request, response) => {
    response.on('error', () => response.destroy())
    void respond(request, response)
  })
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const sent = await text(request)
    const path = request.url ?? ''
    const [set = '', , behavior = ''] = path
      .split('?')[0]!
      .split('/')
      .filter((segment) => segment !== '')
    const { accept = '', 'content-type': type = '', 'user-agent': agent = '', authorization = '' } = request.headers
    const body = JSON.parse(sent) as JsonObject & { readonly request: ReviewRequest }
    calls.push([set, { method: request.method ?? '', path, accept, type, agent, authorization, body }])
    write(response, answerReview(behavior, body.request), body)
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `https://127.0.0.1:${port}`,
    port,
    caBundle: Buffer.from(cert).toString('base64'),
    takeCalls(set) {
      const setCalls = calls.filter(([of]) => of === set).map(([, call]) => call)
      calls = calls.filter(([of]) => of !== set)
      return setCalls
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function write(response: ServerResponse, answer: HookAnswer, review: JsonObject & { readonly request: ReviewRequest }): void {
  const { status = 200, headers = { 'content-type': 'application/json' }, closes } = answer
  if (closes === 'never') return
  if (closes === 'before') return void response.destroy()
  const body = answer.body ?? encodeReview(answer, review)
  if (closes !== 'within') return void response.writeHead(status, headers).end(body)
  response.writeHead(status, { ...headers, 'content-length': body.length })
  response.write(body.slice(0, 20), () => response.destroy())
}

function encodeReview(
  answer: HookAnswer,
  { apiVersion, kind, request: { uid } }: JsonObject & { readonly request: ReviewRequest },
): string {
  const { response, review } = answer
  if (response === undefined && review === undefined) return ''
  return JSON.stringify({ apiVersion, kind, response: { uid, ...response }, ...review })
}
