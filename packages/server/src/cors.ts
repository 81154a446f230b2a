/** Headers and values in turns, as the head of an answer lists them. */
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

/** What a page of this origin is told, when it may ask. Undefined: no page, or one that is not allowed; what it sends is served like anything else. */
export function corsHeaders(allowed: readonly RegExp[], origin: string | undefined): HeaderList | undefined {
  if (origin === undefined || origin === '' || !allowed.some((pattern) => pattern.test(origin))) return undefined
  return ['Access-Control-Allow-Origin', origin, ...fixed]
}
