import { sendBytes, sendStream } from '@keelson/exchange'
import type { Exchange, ResponseHeaders, ResponseSink } from '@keelson/exchange'
import { acceptsGzip, compressedBytes, gzipHeaders } from './accepts-gzip.ts'
import { GzipSink } from './gzip-sink.ts'

type Produce = (sink: ResponseSink) => Promise<void>

/** `sendStream` for a long response: compressed for clients that accept it. */
export function sendLongStream(exchange: Exchange, status: number, headers: ResponseHeaders, produce: Produce): Promise<void> {
  return acceptsGzip(exchange) ? gzipStream(exchange, status, headers, produce) : sendStream(exchange, status, headers, produce)
}

/** `sendBytes`, compressed if the response is long and the client accepts it. */
export function sendCompressible(
  exchange: Exchange,
  status: number,
  headers: ResponseHeaders,
  body: Uint8Array | string,
  written?: () => void,
): void | Promise<void> {
  // A string may be longer in bytes; the threshold need not be exact.
  if (body.length <= compressedBytes || !acceptsGzip(exchange)) return sendBytes(exchange, status, headers, body, written)
  return sendGzip(exchange, status, headers, body, written)
}

/** `sendBytes`, compressed. */
export function sendGzip(
  exchange: Exchange,
  status: number,
  headers: ResponseHeaders,
  body: Uint8Array | string,
  written?: () => void,
): Promise<void> {
  return gzipStream(exchange, status, headers, async (sink) => void sink.write(body, written))
}

function gzipStream(exchange: Exchange, status: number, headers: ResponseHeaders, produce: Produce): Promise<void> {
  return sendStream(exchange, status, gzipHeaders(headers), async (sink) => {
    const gzip = new GzipSink(sink)
    try {
      await produce(gzip)
      await gzip.finish()
    } finally {
      gzip.destroy()
    }
  })
}
