import { sendBytes } from '@keelson/exchange'
import type { AcceptClause, Exchange } from '@keelson/exchange'
import { acceptsGzip, sendGzip } from '../compress/send-compressed.ts'
import type { OpenApiRegistry, SwaggerForm } from './openapi-registry.ts'

const vary = 'Accept-Encoding, Accept'
const protobuf = 'com.github.proto-openapi.spec.v2.v1.0+protobuf'

/** In the server's order of preference. The name with an at sign is the older one; responses have the newer. */
const accepted: readonly { readonly subtype: string; readonly answer: string; readonly form: SwaggerForm }[] = [
  { subtype: 'json', answer: 'application/json', form: 'json' },
  { subtype: 'com.github.proto-openapi.spec.v2@v1.0+protobuf', answer: `application/${protobuf}`, form: 'protobuf' },
  { subtype: protobuf, answer: `application/${protobuf}`, form: 'protobuf' },
]

/** `/openapi/v2`: one document for the whole server. */
export async function serveOpenApiV2(exchange: Exchange, registry: OpenApiRegistry): Promise<void> {
  const wanted = exchange.accept === '' ? accepted[0] : negotiate(exchange.acceptClauses)
  if (wanted === undefined) return sendBytes(exchange, 406, { vary }, '')
  // Both encodings share one hash; `vary` separates them in caches.
  const headers: Record<string, string> = { vary, etag: `"${await registry.swagger('json').etag()}"` }
  if (exchange.header('if-none-match') === headers['etag']) return sendBytes(exchange, 304, headers, '')
  const bytes = await registry.swagger(wanted.form).bytes()
  headers['content-type'] = wanted.answer
  if (!acceptsGzip(exchange)) return sendBytes(exchange, 200, headers, bytes)
  return sendGzip(exchange, 200, headers, bytes)
}

function negotiate(clauses: readonly AcceptClause[]): (typeof accepted)[number] | undefined {
  for (const { type, subtype } of clauses) {
    if (type !== 'application' && type !== '*') continue
    const found = accepted.find((candidate) => subtype === candidate.subtype || subtype === '*')
    if (found !== undefined) return found
  }
  return undefined
}
