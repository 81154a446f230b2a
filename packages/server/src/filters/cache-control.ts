import type { Exchange } from '@keelson/exchange'

const headers = ['Cache-Control', 'no-cache, private']

/** Keeps responses out of caches. */
export function cacheControl(exchange: Exchange): void {
  exchange.addHeaders(headers)
}
