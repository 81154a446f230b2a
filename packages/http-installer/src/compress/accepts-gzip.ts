import type { Exchange, ResponseHeaders } from '@keelson/exchange'

/** Longer responses are compressed for clients that accept it. */
export const compressedBytes: number = 128 * 1024

/** Whether the client accepts gzip. A name with a weight ("gzip;q=1") is ignored, as in kube-apiserver. */
export function acceptsGzip(exchange: Exchange): boolean {
  const accepted = exchange.header('accept-encoding')
  return accepted !== undefined && accepted.split(',').some((token) => token.trim() === 'gzip')
}

/** The headers of a compressed response, whose length is unknown. An existing `vary` must name the encoding itself. */
export function gzipHeaders(headers: ResponseHeaders): ResponseHeaders {
  const { 'content-length': _, ...others } = headers
  return { vary: 'Accept-Encoding', ...others, 'content-encoding': 'gzip' }
}
