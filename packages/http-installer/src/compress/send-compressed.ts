import type { InstallerContext } from '../context.ts'
import { sendBytes, sendStream } from '../response.ts'
import type { ResponseHeaders, ResponseSink } from '../response.ts'
import { acceptsGzip, compressedBytes, gzipHeaders } from './accepts-gzip.ts'
import { GzipSink } from './gzip-sink.ts'

type Produce = (sink: ResponseSink) => Promise<void>

/** `sendStream` for an answer that is known to be long: compressed for clients that accept it. */
export function sendLongStream(c: InstallerContext, status: number, headers: ResponseHeaders, produce: Produce): Promise<Response> {
  return acceptsGzip(c) ? gzipStream(c, status, headers, produce) : sendStream(c, status, headers, produce)
}

/** `sendBytes`, compressed where that is worth it. */
export function sendCompressible(
  c: InstallerContext,
  status: number,
  headers: ResponseHeaders,
  body: Uint8Array | string,
  written?: () => void,
): Response | Promise<Response> {
  // A string may be longer as bytes; nothing hangs on the difference.
  if (body.length <= compressedBytes || !acceptsGzip(c)) return sendBytes(c, status, headers, body, written)
  return sendGzip(c, status, headers, body, written)
}

/** `sendBytes`, compressed. */
export function sendGzip(
  c: InstallerContext,
  status: number,
  headers: ResponseHeaders,
  body: Uint8Array | string,
  written?: () => void,
): Promise<Response> {
  return gzipStream(c, status, headers, async (sink) => void sink.write(body, written))
}

function gzipStream(c: InstallerContext, status: number, headers: ResponseHeaders, produce: Produce): Promise<Response> {
  return sendStream(c, status, gzipHeaders(headers), async (sink) => {
    const gzip = new GzipSink(sink)
    try {
      await produce(gzip)
      await gzip.finish()
    } finally {
      gzip.destroy()
    }
  })
}
