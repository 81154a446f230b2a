import { once } from 'node:events'
import http2 from 'node:http2'
import type { IncomingHttpHeaders } from 'node:http2'
import https from 'node:https'
import type { IncomingMessage } from 'node:http'
import type { KeelsonProcess } from '../keelson-process.ts'

export type Protocol = 'HTTP/1.1' | 'HTTP/2'

export interface OpenWatch {
  readonly status: number
  readonly type: string
  /** Returns the events received so far. */
  listEvents(): readonly { readonly type: string }[]
  /** Closes the connection abruptly. */
  drop(): void
}

/** Opens a watch on its own connection. Resolves when the response headers have arrived. */
export async function openWatch(
  protocol: Protocol,
  server: Pick<KeelsonProcess, 'url' | 'token'>,
  path: string,
  more: Readonly<Record<string, string>> = {},
): Promise<OpenWatch> {
  const headers = { authorization: `Bearer ${server.token}`, ...more }
  let text = ''
  const parseEvents = (): readonly { type: string }[] =>
    text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as { type: string })
  const take = (chunk: Buffer): void => void (text += chunk.toString())
  if (protocol === 'HTTP/1.1') {
    const request = https.get(server.url + path, { rejectUnauthorized: false, headers, agent: false })
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    response.on('data', take)
    response.on('error', () => {})
    request.on('error', () => {})
    const { statusCode: status = 0, headers: answered } = response
    return { status, type: answered['content-type'] ?? '', listEvents: parseEvents, drop: () => void request.destroy() }
  }
  const session = http2.connect(server.url, { rejectUnauthorized: false })
  const stream = session.request({ ':path': path, ...headers })
  stream.on('data', take)
  const [answered] = (await once(stream, 'response')) as [IncomingHttpHeaders]
  stream.on('error', () => {})
  session.on('error', () => {})
  return {
    status: Number(answered[':status']),
    type: answered['content-type'] ?? '',
    listEvents: parseEvents,
    drop: () => session.destroy(),
  }
}
