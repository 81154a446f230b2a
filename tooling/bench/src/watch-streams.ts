import { openHttp1 } from './load-connection.ts'
import type { LoadConnection } from './load-connection.ts'
import { StreamOrder } from './stream-order.ts'

export interface WatchStreams {
  /** Returns whether all streams are still open. */
  areOpen(): boolean
  countEvents(): number
  countBytes(): number
  /** Time on the monotonic clock when the first watch was opened. `getLastEventTime` is the time of the newest event. */
  readonly opened: number
  getLastEventTime(): number
  /** Returns the number of events that were duplicate, late, or missing on some streams. */
  countDisorder(): number
  /** Resolves after `eventCount` events, or when no event has arrived for a while. */
  waitUntilSettled(eventCount: number): Promise<void>
  close(): void
}

export interface WatchStreamsOptions {
  readonly url: string
  readonly token: string
  readonly path: string
  readonly streams: number
  readonly checkOrder?: boolean
}

const openedTogether = 32
const quietMs = 300
const lookMs = 10

/** Opens several watches, each on its own connection. Counts the events of all watches. */
export async function openWatches({ url, token, path, streams, checkOrder = false }: WatchStreamsOptions): Promise<WatchStreams> {
  let events = 0
  let bytes = 0
  let last = 0
  const began = performance.now()
  let isOpen = true
  const orders: StreamOrder[] = []
  const connections: LoadConnection[] = []
  const open = async (): Promise<void> => {
    const order = checkOrder ? new StreamOrder() : undefined
    if (order !== undefined) orders.push(order)
    const onBody = (piece: Buffer): void => {
      bytes += piece.length
      last = performance.now()
      events += countNewlines(piece)
      order?.push(piece)
    }
    const markEnded = (): void => void (isOpen = false)
    const connection = await openHttp1({ url, token, onBody, onAnswer: markEnded, onEnd: markEnded })
    connections.push(connection)
    connection.send({ method: 'GET', path }, 0)
  }
  for (let opened = 0; opened < streams; opened += openedTogether)
    await Promise.all(Array.from({ length: Math.min(openedTogether, streams - opened) }, open))
  await new Promise((resolve) => setTimeout(resolve, 500 + streams / 2))
  return {
    areOpen: () => isOpen,
    countEvents: () => events,
    countBytes: () => bytes,
    opened: began,
    getLastEventTime: () => last,
    countDisorder() {
      const maximum = Math.max(0, ...orders.map(({ count }) => count))
      return orders.reduce((sum, { disorder, count }) => sum + disorder + maximum - count, 0)
    },
    async waitUntilSettled(eventCount) {
      let before = events
      for (let quiet = 0; events < eventCount && quiet < quietMs; quiet += lookMs) {
        await new Promise((resolve) => setTimeout(resolve, lookMs))
        if (events !== before) quiet = 0
        before = events
      }
    },
    close: () => connections.forEach((connection) => connection.close()),
  }
}

function countNewlines(piece: Buffer): number {
  let count = 0
  for (let at = piece.indexOf(10); at >= 0; at = piece.indexOf(10, at + 1)) count++
  return count
}
