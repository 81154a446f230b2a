import { request as requestHttp } from 'node:http'
import { escapePath, forwardUpgradeAnswer, listUpgradeHeaders, listPairs, sendUpgrade } from '@keelson/http-installer'
import type { UpgradePassage } from '@keelson/http-installer'
import { OutboundError, toConnectionError } from '@keelson/outbound'
import { encodeQuery } from './forward-request.ts'
import { createUpgradeHeaders } from './request-headers.ts'
import type { LeasedClient } from './target-clients.ts'

/** Maximum size of the headers of an answer in bytes. */
const maxHeaderSize = 64 * 1024

/**
 * Forwards a request that changes the protocol over a connection of its own, and then copies bytes in both directions. Rejects with an
 * `OutboundError` if the server does not accept the request and does not answer with an error either.
 */
export async function forwardUpgrade(
  passage: UpgradePassage,
  { client, authority }: LeasedClient,
  addedHeaders: readonly string[] = [],
): Promise<void> {
  const { exchange } = passage
  const headers = listUpgradeHeaders(exchange.method, [...createUpgradeHeaders(exchange, authority), ...listPairs(addedHeaders)])
  const query = encodeQuery(exchange)
  const socket = await client.connect(exchange.signal).catch((error: OutboundError) => {
    throw new OutboundError(error.kind, `error dialing backend: ${error.message}`, { cause: error })
  })
  try {
    const request = requestHttp({
      createConnection: () => socket,
      method: exchange.method,
      path: escapePath(exchange.target.path) + (query === '' ? '' : `?${query}`),
      headers,
      maxHeaderSize,
    })
    const answer = await sendUpgrade(request, { signal: exchange.signal, createError: toConnectionError })
    const status = answer.message.statusCode ?? 0
    if (!answer.upgraded && status < 400) throw new OutboundError('protocol', `invalid upgrade response: status code ${status}`)
    await forwardUpgradeAnswer(passage, answer)
  } finally {
    socket.destroy()
  }
}
