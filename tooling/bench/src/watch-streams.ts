import { openHttp1 } from './load-connection.ts'
import { StreamOrder } from './stream-order.ts'

export interface WatchStreams {
  events(): number
  bytes(): number
  /** When the first watch was opened, and when the newest event came, by the monotonic clock. */
  readonly opened: number
  lastEvent(): number
  /** Events that came twice or late, and those that some streams had and others had not. */
  disorder(): number
  /** Resolves when nothing has arrived for a while. */
  settled(): Promise<void>
}

export interface WatchStreamsOptions {
  readonly url: string
  readonly token: string
  readonly path: string
  readonly streams: number
  readonly checkOrder?: boolean
}

const openedTogether = 32

/** Opens watches, each on a connection of its own, and counts what arrives on them. */
export async function openWatches({ url, token, path, streams, checkOrder = false }: WatchStreamsOptions): Promise<WatchStreams> {
  let events = 0
  let bytes = 0
  let last = 0
  const began = performance.now()
  const orders: StreamOrder[] = []
  const open = async (): Promise<void> => {
    const order = checkOrder ? new StreamOrder() : undefined
    if (order !== undefined) orders.push(order)
    const onBody = (piece: Buffer): void => {
      bytes += piece.length
      last = performance.now()
      events += newlines(piece)
      order?.push(piece)
    }
    const connection = await openHttp1({ url, token, onBody, onAnswer: () => {}, onEnd: () => {} })
    connection.send({ method: 'GET', path }, 0)
  }
  for (let opened = 0; opened < streams; opened += openedTogether)
    await Promise.all(Array.from({ length: Math.min(openedTogether, streams - opened) }, open))
  await new Promise((resolve) => setTimeout(resolve, 500 + streams / 2))
  return {
    events: () => events,
    bytes: () => bytes,
    opened: began,
    lastEvent: () => last,
    disorder() {
      const most = Math.max(0, ...orders.map(({ count }) => count))
      return orders.reduce((sum, { disorder, count }) => sum + disorder + most - count, 0)
    },
    async settled() {
      for (let before = -1; before !== events;) {
        before = events
        await new Promise((resolve) => setTimeout(resolve, 300))
      }
    },
  }
}

function newlines(piece: Buffer): number {
  let count = 0
  for (let at = piece.indexOf(10); at >= 0; at = piece.indexOf(10, at + 1)) count++
  return count
}
