import { sendCompressible, sendLongStream } from './compress/send-compressed.ts'
import type { InstallerContext } from './context.ts'
import { ClientGoneError } from './read-body.ts'
import type { ResponseHeaders, ResponseSink } from './response.ts'
import { SlabWriter } from './slab-writer.ts'

/** Short answers are sent whole with their length, longer ones as they come. Compressed for clients that accept it, when it is worth it. */
export async function writeInSlabs(
  c: InstallerContext,
  headers: ResponseHeaders,
  write: (writer: SlabWriter) => Promise<void>,
): Promise<Response> {
  let streaming: Promise<Response> | undefined
  let finish!: () => void
  let fail!: (error: unknown) => void
  const written = new Promise<void>((resolve, reject) => {
    finish = resolve
    fail = reject
  })
  const open = (): Promise<ResponseSink> =>
    new Promise((resolve, reject) => {
      // A second slab makes it long.
      streaming = sendLongStream(c, 200, headers, (sink) => {
        resolve(sink)
        return written
      })
      // When the client has left meanwhile there is no sink at all.
      streaming.then(() => reject(new ClientGoneError()), reject)
    })
  const writer = new SlabWriter(open)
  written.catch(() => {})
  try {
    await write(writer)
    const short = writer.takeShort()
    if (short !== undefined) return sendCompressible(c, 200, headers, short.bytes, short.written)
    await writer.finish()
    finish()
  } catch (error) {
    if (streaming === undefined) throw error
    fail(error)
  }
  return streaming!
}
