import { sendCompressible, sendLongStream } from '../compress/send-compressed.ts'
import { ClientGoneError } from '@keelson/exchange'
import type { Exchange, ResponseHeaders, ResponseSink } from '@keelson/exchange'
import { SlabWriter } from './slab-writer.ts'

/** Sends a short response with its length, and streams a longer one. Long responses are compressed if the client accepts that. */
export async function writeInSlabs(
  exchange: Exchange,
  headers: ResponseHeaders,
  write: (writer: SlabWriter) => Promise<void>,
): Promise<void> {
  let streaming: Promise<void> | undefined
  let finish!: () => void
  let rejectClosed!: (error: unknown) => void
  const written = new Promise<void>((resolve, reject) => {
    finish = resolve
    rejectClosed = reject
  })
  const open = (): Promise<ResponseSink> =>
    new Promise((resolve, reject) => {
      // Starts a streamed response when the first buffer is full.
      streaming = sendLongStream(exchange, 200, headers, (sink) => {
        resolve(sink)
        return written
      })
      // If the client has disconnected in the meantime, there is no sink.
      streaming.then(() => reject(new ClientGoneError()), reject)
    })
  const writer = new SlabWriter(exchange.user.name, open)
  written.catch(() => {})
  try {
    await write(writer)
    const short = writer.takeShort()
    if (short !== undefined) return sendCompressible(exchange, 200, headers, short.bytes, short.written)
    await writer.finish()
    finish()
  } catch (error) {
    if (streaming === undefined) throw error
    rejectClosed(error)
  }
  return streaming!
}
