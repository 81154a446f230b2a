import { once } from 'node:events'
import https from 'node:https'
import type { ClientRequest, IncomingMessage } from 'node:http'
import { getCollectionPath, createLabels, kinds, sentAnnotation } from './kinds.ts'
import type { SoakKind } from './kinds.ts'
import { token } from './soaked-server.ts'
import type { Tally } from './tally.ts'

export interface WatchOptions {
  readonly url: string
  readonly tally: Tally
  readonly kind: SoakKind
  /** Query of the watch, without `watch`. */
  readonly query: string
  /** Whether to measure the time between sending a change and receiving its event. */
  readonly measuresLag?: boolean
}

export interface SoakWatch {
  readonly kind: SoakKind
  /** Number of events received since `begin`. */
  events(): number
  /** Number of received bytes. */
  bytes(): number
  /** Starts counting events from 0. */
  begin(): void
  /** Resolves when the server has ended the watch. */
  readonly ended: Promise<void>
  close(): void
}

const sentPattern = new RegExp(`"${sentAnnotation}":"([\\d.]+)"`)
const newline = 10

/** Opens a watch on its own connection. Resolves when the headers of the response have arrived. */
export async function openSoakWatch({ url, tally, kind, query, measuresLag = false }: WatchOptions): Promise<SoakWatch> {
  const path = `${getCollectionPath(kind)}?watch=true&${query}`
  const request: ClientRequest = https.get(url + path, {
    rejectUnauthorized: false,
    headers: { authorization: `Bearer ${token}`, accept: 'application/json' },
    agent: false,
  })
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  const status = response.statusCode ?? 0
  if (status !== 200) tally.report(`a watch of ${kind.resource} returned ${status}`)
  let events = 0
  let bytes = 0
  let rest: Buffer[] = []
  response.on('data', (piece: Buffer) => {
    const now = performance.now()
    let from = 0
    let count = 0
    for (let end = piece.indexOf(newline); end >= 0; end = piece.indexOf(newline, from)) {
      if (measuresLag) {
        const line = Buffer.concat([...rest, piece.subarray(from, end)]).toString()
        rest = []
        const sent = sentPattern.exec(line)?.[1]
        if (sent !== undefined && !line.startsWith('{"type":"DELETED"')) tally.lags.push(now - Number(sent))
      }
      from = end + 1
      count++
    }
    if (measuresLag && from < piece.length) rest.push(piece.subarray(from))
    events += count
    bytes += piece.length
    tally.countEvents(kind.resource, count, piece.length)
  })
  let isClosed = false
  const ended = new Promise<void>((resolve) => {
    response.once('close', () => {
      if (!isClosed && !response.complete) tally.report(`a watch of ${kind.resource} broke`)
      resolve()
    })
  })
  response.on('error', () => {})
  request.on('error', () => {})
  return {
    kind,
    events: () => events,
    bytes: () => bytes,
    begin: () => void (events = 0),
    ended,
    close: () => {
      isClosed = true
      request.destroy()
    },
  }
}

/** Opens a watch that the server ends after a second or two, and counts it. */
export async function runShortWatch(context: {
  readonly url: string
  readonly tally: Tally
  readonly random: () => number
}): Promise<'done'> {
  const { url, tally, random } = context
  const kind = kinds[Math.floor(random() * kinds.length)]!
  const start = random() < 0.3 ? 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true' : 'resourceVersion=0'
  const watch = await openSoakWatch({ url, tally, kind, query: `${start}&timeoutSeconds=${1 + Math.floor(random() * 2)}` })
  await watch.ended
  tally.countRequest(createLabels(kind, 'WATCH', 'namespace'), 200, watch.bytes())
  return 'done'
}
