import { once } from 'node:events'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { request } from 'node:https'
import type { ServerChain } from './server-chain.ts'

export interface Question {
  readonly body?: object | undefined
  /** Default: the administrator's. */
  readonly token?: string | undefined
}

export interface Answer<Body> {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Body
}

/** One request on a connection of its own, answered in JSON. */
export async function askServer<Body>(chain: ServerChain, method: string, target: string, question?: Question): Promise<Answer<Body>> {
  const { status, headers, text } = await askServerForText(chain, method, target, question)
  return { status, headers, body: JSON.parse(text) as Body }
}

export async function askServerForText(
  chain: ServerChain,
  method: string,
  target: string,
  { body, token = chain.adminToken }: Question = {},
): Promise<{ readonly status: number; readonly headers: IncomingHttpHeaders; readonly text: string }> {
  const sent = request(`${chain.url}${target}`, {
    method,
    ca: chain.certificateAuthority,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', accept: 'application/json' },
    agent: false,
  })
  sent.end(body === undefined ? undefined : JSON.stringify(body))
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  return { status: answer.statusCode!, headers: answer.headers, text: Buffer.concat(await answer.toArray()).toString() }
}
