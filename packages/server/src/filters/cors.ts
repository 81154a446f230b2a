import { sendBytes } from '@keelson/exchange'
import type { Filter } from './filter.ts'

/** Header names and values, alternating. */
type HeaderList = readonly string[]

const fixed: HeaderList = [
  'Access-Control-Allow-Methods',
  'POST, GET, OPTIONS, PUT, DELETE, PATCH',
  'Access-Control-Allow-Headers',
  'Content-Type, Content-Length, Accept-Encoding, X-CSRF-Token, Authorization, X-Requested-With, If-Modified-Since',
  'Access-Control-Expose-Headers',
  'Date',
  'Access-Control-Allow-Credentials',
  'true',
]

/**
 * Creates a filter for cross-origin requests (CORS). Web pages of allowed origins may read responses, and their preflight requests are
 * answered. Other requests pass unchanged, as in kube-apiserver.
 */
export function createCorsFilter(allowedOrigins: readonly RegExp[]): Filter | undefined {
  if (allowedOrigins.length === 0) return undefined
  return (exchange) => {
    const headers = createCorsHeaders(allowedOrigins, exchange.getHeader('origin'))
    if (headers === undefined) return
    exchange.addHeaders(headers)
    if (exchange.method !== 'OPTIONS') return
    sendBytes(exchange, 204, {}, '')
    return 'answered'
  }
}

function createCorsHeaders(allowed: readonly RegExp[], origin: string | undefined): HeaderList | undefined {
  if (origin === undefined || origin === '' || !allowed.some((pattern) => pattern.test(origin))) return undefined
  return ['Access-Control-Allow-Origin', origin, ...fixed]
}
