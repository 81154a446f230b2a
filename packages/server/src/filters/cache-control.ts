import type { Exchange } from '@keelson/exchange'

const headers = ['Cache-Control', 'no-cache, private']

/** Forbids caching of responses. */
export function cacheControl(exchange: Exchange): void {
  exchange.addHeaders(headers)
}
