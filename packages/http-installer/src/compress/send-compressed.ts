import { sendBytes, sendStream } from '@keelson/exchange'
import type { Exchange, ResponseHeaders, ResponseSink } from '@keelson/exchange'
import { GzipSink } from './gzip-sink.ts'

/** Response length in bytes above which responses are compressed, if the client accepts that. */
const compressedBytes: number = 128 * 1024

/** Returns whether the client accepts gzip. As in kube-apiserver, "gzip" with a weight ("gzip;q=1") is ignored. */
export function acceptsGzip(exchange: Exchange): boolean {
  const acceptEncoding = exchange.getHeader('accept-encoding')
  return acceptEncoding !== undefined && acceptEncoding.split(',').some((token) => token.trim() === 'gzip')
}

type Produce = (sink: ResponseSink) => Promise<void>

/** Streams a long response like `sendStream`. Compresses it if the client accepts gzip. */
export function sendLongStream(exchange: Exchange, status: number, headers: ResponseHeaders, produce: Produce): Promise<void> {
  return acceptsGzip(exchange) ? sendGzipStream(exchange, status, headers, produce) : sendStream(exchange, status, headers, produce)
}

/** Sends bytes like `sendBytes`. Compresses them if they are many and the client accepts gzip. */
export function sendCompressible(
  exchange: Exchange,
  status: number,
  headers: ResponseHeaders,
  body: Uint8Array | string,
  written?: () => void,
): void | Promise<void> {
  // The UTF-8 encoding of a string may be longer than its length, but the threshold need not be exact.
  if (body.length <= compressedBytes || !acceptsGzip(exchange)) return sendBytes(exchange, status, headers, body, written)
  return sendGzip(exchange, status, headers, body, written)
}

/** Sends bytes like `sendBytes`, but compressed. */
function sendGzip(
  exchange: Exchange,
  status: number,
  headers: ResponseHeaders,
  body: Uint8Array | string,
  written?: () => void,
): Promise<void> {
  return sendGzipStream(exchange, status, headers, async (sink) => void sink.write(body, written))
}

function sendGzipStream(exchange: Exchange, status: number, headers: ResponseHeaders, produce: Produce): Promise<void> {
  return sendStream(exchange, status, createGzipHeaders(headers), async (sink) => {
    const gzip = new GzipSink(sink)
    try {
      await produce(gzip)
      await gzip.finish()
    } finally {
      gzip.destroy()
    }
  })
}

/** Returns the headers of a compressed response, without its length. The caller adds the encoding to an existing `vary` header. */
function createGzipHeaders(headers: ResponseHeaders): ResponseHeaders {
  const { 'content-length': _, ...otherHeaders } = headers
  return { vary: 'Accept-Encoding', ...otherHeaders, 'content-encoding': 'gzip' }
}
