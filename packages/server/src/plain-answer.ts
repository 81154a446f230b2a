import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { ServerResponse } from 'node:http'
import type { InstallerContext } from '@keelson/http-installer'

export interface PlainAnswer {
  readonly status: number
  readonly type: string
  readonly body: string
}

/** An answer outside the API's own formats. Goes to the node response itself where there is one: a `Response` in between would be read back as a stream. */
export function sendPlain(c: InstallerContext, { status, type, body }: PlainAnswer): Response {
  const outgoing = c.env?.outgoing as ServerResponse | undefined
  if (outgoing === undefined) return new Response(body, { status, headers: { 'content-type': type, 'x-content-type-options': 'nosniff' } })
  if (!outgoing.headersSent) {
    outgoing.setHeader('Content-Type', type)
    outgoing.setHeader('X-Content-Type-Options', 'nosniff')
    outgoing.setHeader('Content-Length', Buffer.byteLength(body))
    outgoing.writeHead(status)
    outgoing.end(body)
  }
  return RESPONSE_ALREADY_SENT
}

/** An error that has no Status: the text and a line end. */
export function plainError(status: number, text: string): PlainAnswer {
  return { status, type: 'text/plain; charset=utf-8', body: `${text}\n` }
}

/** Indented, as the original writes what is for people too. */
export function rawJson(value: unknown): PlainAnswer {
  return { status: 200, type: 'application/json', body: JSON.stringify(value, null, 2) }
}
