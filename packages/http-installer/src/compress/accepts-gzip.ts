import type { Exchange, ResponseHeaders } from '@keelson/exchange'

/** API objects that are longer are worth it to clients that accept it. */
export const compressedBytes: number = 128 * 1024

/** Whether the client accepts gzip. A name with a weight ("gzip;q=1") is ignored, as in kube-apiserver. */
export function acceptsGzip(exchange: Exchange): boolean {
  const accepted = exchange.header('accept-encoding')
  return accepted !== undefined && accepted.split(',').some((token) => token.trim() === 'gzip')
}

/** The headers of the answer when it is compressed: how long it will be is not known. A `vary` that is there has to name the encoding itself. */
export function gzipHeaders(headers: ResponseHeaders): ResponseHeaders {
  const { 'content-length': _, ...others } = headers
  return { vary: 'Accept-Encoding', ...others, 'content-encoding': 'gzip' }
}
