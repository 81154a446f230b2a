import { createHash } from 'node:crypto'
import { sendBytes, sendStream } from '@keelson/exchange'
import type { Exchange, AcceptClause, ResponseSink } from '@keelson/exchange'
import type { OpenApiRegistry, SwaggerForm } from './openapi-registry.ts'
import { acceptsGzip, sendLongStream } from '../compress/send-compressed.ts'

const prefix = '/openapi/v3'

/** Serves the OpenAPI v3 documents at `/openapi/v3` and below, for any HTTP method. */
export async function serveOpenApi(exchange: Exchange, registry: OpenApiRegistry): Promise<void> {
  const requested = exchange.target.path
  if (requested === prefix) return serveIndex(exchange, registry)
  const path = requested.slice(prefix.length + 1)
  const remote = registry.remote(path)
  if (remote !== undefined) return remote.route.serve(exchange)
  const document = registry.document(path)
  if (document === undefined) return sendBytes(exchange, 404, {}, '')
  const hash = await document.etag()
  if (!acceptsJson(exchange)) return sendBytes(exchange, 406, { vary: 'Accept' }, '')
  const headers: Record<string, string> = { etag: `"${hash}"`, vary: 'Accept', 'content-type': 'application/json' }
  const requestedHash = exchange.query.get('hash')
  if (requestedHash && requestedHash !== hash) return sendBytes(exchange, 301, { location: formatUrl(path, hash), vary: 'Accept' }, '')
  // A URL with the correct hash always has the same content, so clients may cache it forever.
  if (requestedHash) headers['cache-control'] = 'public, immutable'
  if (requestedHash) headers['expires'] = new Date(Date.now() + 365 * 86_400_000).toUTCString()
  if (exchange.getHeader('if-none-match') === headers['etag']) return sendNotModified(exchange, headers)
  return sendChunks(exchange, headers, await document.chunks())
}

async function serveIndex(exchange: Exchange, registry: OpenApiRegistry): Promise<void> {
  const paths: Record<string, { serverRelativeURL: string }> = {}
  for (const path of registry.paths()) {
    const hash = await registry.document(path)?.etag()
    if (hash !== undefined) paths[path] = { serverRelativeURL: formatUrl(path, hash) }
  }
  for (const path of registry.remotePaths()) {
    const remote = registry.remote(path)
    if (remote !== undefined) paths[path] = { serverRelativeURL: remote.url }
  }
  const body = JSON.stringify({ paths: Object.fromEntries(Object.entries(paths).toSorted(([a], [b]) => (a < b ? -1 : 1))) })
  const headers: Record<string, string> = {
    etag: `"${createHash('sha512').update(body).digest('hex').toUpperCase()}"`,
    'content-type': 'text/plain; charset=utf-8',
  }
  return exchange.getHeader('if-none-match') === headers['etag']
    ? sendNotModified(exchange, headers)
    : sendBytes(exchange, 200, headers, body)
}

function sendNotModified(exchange: Exchange, headers: Record<string, string>): void {
  delete headers['content-type']
  return sendBytes(exchange, 304, headers, '')
}

function formatUrl(path: string, hash: string): string {
  return `${prefix}/${path}?hash=${hash}`
}

/** Returns whether the client accepts JSON. kube-apiserver also serves protobuf, but kubectl and client-go request JSON. */
function acceptsJson({ accept, acceptClauses }: Exchange): boolean {
  if (accept === '') return true
  return acceptClauses.some(({ type, subtype }) => (type === 'application' || type === '*') && (subtype === 'json' || subtype === '*'))
}

const vary = 'Accept-Encoding, Accept'
const protobuf = 'com.github.proto-openapi.spec.v2.v1.0+protobuf'

/** Media types in the server's order of preference. The name with "@" is an older one; responses use the newer name. */
const offeredTypes: readonly { readonly subtype: string; readonly answer: string; readonly form: SwaggerForm }[] = [
  { subtype: 'json', answer: 'application/json', form: 'json' },
  { subtype: 'com.github.proto-openapi.spec.v2@v1.0+protobuf', answer: `application/${protobuf}`, form: 'protobuf' },
  { subtype: protobuf, answer: `application/${protobuf}`, form: 'protobuf' },
]

/** Serves the OpenAPI v2 document of the whole server at `/openapi/v2`. */
export async function serveOpenApiV2(exchange: Exchange, registry: OpenApiRegistry): Promise<void> {
  const negotiated = exchange.accept === '' ? offeredTypes[0] : negotiate(exchange.acceptClauses)
  if (negotiated === undefined) return sendBytes(exchange, 406, { vary }, '')
  // Both encodings have the same hash. The header `vary` makes caches distinguish them.
  const headers: Record<string, string> = { vary, etag: `"${await registry.swagger('json').etag()}"` }
  if (exchange.getHeader('if-none-match') === headers['etag']) return sendBytes(exchange, 304, headers, '')
  const chunks = await registry.swagger(negotiated.form).chunks()
  headers['content-type'] = negotiated.answer
  if (!acceptsGzip(exchange)) return sendChunks(exchange, headers, chunks)
  return sendLongStream(exchange, 200, headers, (sink) => writeChunks(sink, chunks))
}

/** Sends a document. A long one is written in chunks, at the speed of the client. */
function sendChunks(exchange: Exchange, headers: Record<string, string>, chunks: readonly Buffer[]): void | Promise<void> {
  if (chunks.length === 1) return sendBytes(exchange, 200, headers, chunks[0]!)
  headers['content-length'] = String(chunks.reduce((sum, chunk) => sum + chunk.length, 0))
  return sendStream(exchange, 200, headers, (sink) => writeChunks(sink, chunks))
}

async function writeChunks(sink: ResponseSink, chunks: readonly Buffer[]): Promise<void> {
  for (const chunk of chunks) {
    if (sink.closed) return
    if (!sink.write(chunk)) await sink.waitForDrain()
  }
}

function negotiate(clauses: readonly AcceptClause[]): (typeof offeredTypes)[number] | undefined {
  for (const { type, subtype } of clauses) {
    if (type !== 'application' && type !== '*') continue
    const match = offeredTypes.find((candidate) => subtype === candidate.subtype || subtype === '*')
    if (match !== undefined) return match
  }
  return undefined
}
