import { TimeSlice } from '@keelson/apimachinery'
import type { Exchange } from '@keelson/exchange'
import type { SlabWriter } from './slab-writer.ts'
import { writeInSlabs } from './write-in-slabs.ts'

/** A list whose encoded length is known before it is written. */
export interface SizedList<T> {
  readonly items: readonly T[]
  readonly before: Uint8Array
  readonly after: Uint8Array
  /** Total length of all encoded items. */
  readonly itemsLength: number
  /** Writes an item. Returns undefined if all bytes are written, or a promise that waits for the socket. */
  put(writer: SlabWriter, item: T, index: number): Promise<void> | undefined
}

/** Sends a list with a Content-Length header. Without it, each buffer would be copied into an HTTP chunk. */
export function writeSizedList<T>(exchange: Exchange, contentType: string, list: SizedList<T>): Promise<void> {
  const { items, before, after } = list
  const headers = { 'content-type': contentType, 'content-length': String(before.length + list.itemsLength + after.length) }
  return writeInSlabs(exchange, headers, async (writer) => {
    await writer.write(before)
    for (let i = 0; i < items.length; i++) {
      const wait = list.put(writer, items[i]!, i)
      if (wait !== undefined) await wait
      if ((i & 15) === 15 && writer.sliceIsOver) await writer.nextSlice()
      if (writer.closed) return
    }
    await writer.write(after)
  })
}

/** Milliseconds that a list may use the thread at once on arrival. Longer lists then wait for their share of it. */
const firstSlice = 0.3

/**
 * Collects the items of an iterable and passes each to `look`. Yields to other work after each time slice. Stops early if the client has
 * disconnected.
 */
export async function collect<T>(exchange: Exchange, walk: Iterable<T>, look: (item: T) => void): Promise<readonly T[]> {
  const items: T[] = []
  const slice = new TimeSlice(16, { owner: exchange.user.name, firstSlice })
  for (const item of walk) {
    items.push(item)
    look(item)
    const pause = slice.pauseIfOver()
    if (pause === undefined) continue
    await pause
    if (exchange.outgoing.destroyed) break
  }
  return items
}
