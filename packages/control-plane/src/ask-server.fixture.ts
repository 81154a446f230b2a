import { once } from 'node:events'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { request } from 'node:https'
import type { ServerChain } from './server-chain.ts'

export interface RequestOptions {
  /** The body. A string is sent as it is. */
  readonly body?: object | string | undefined
  /** Bearer token of the request. Default: the token of the administrator. */
  readonly token?: string | undefined
}

export interface JsonResponse<Body> {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Body
}

/** Sends a request on a new connection and parses the JSON response. */
export async function askServer<Body>(
  chain: ServerChain,
  method: string,
  target: string,
  options?: RequestOptions,
): Promise<JsonResponse<Body>> {
  const { status, headers, text } = await askServerForText(chain, method, target, options)
  return { status, headers, body: JSON.parse(text) as Body }
}

export async function askServerForText(
  chain: ServerChain,
  method: string,
  target: string,
  { body, token = chain.adminToken }: RequestOptions = {},
): Promise<{ readonly status: number; readonly headers: IncomingHttpHeaders; readonly text: string }> {
  const clientRequest = request(`${chain.url}${target}`, {
    method,
    ca: chain.certificateAuthority,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', accept: 'application/json' },
    agent: false,
  })
  clientRequest.end(typeof body === 'object' ? JSON.stringify(body) : body)
  const [answer] = (await once(clientRequest, 'response')) as [IncomingMessage]
  return { status: answer.statusCode!, headers: answer.headers, text: Buffer.concat(await answer.toArray()).toString() }
}
