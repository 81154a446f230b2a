import { createHash } from 'node:crypto'
import { parseAccept } from '@keelson/exchange'
import type { InstallerContext } from '../context.ts'
import { sendBytes } from '../response.ts'
import { queryOf } from '../write-error.ts'
import type { OpenApiRegistry } from './openapi-registry.ts'

const prefix = '/openapi/v3'

/** `/openapi/v3` and what is below it, whatever the method. */
export async function serveOpenApi(c: InstallerContext, registry: OpenApiRegistry): Promise<Response> {
  if (c.req.path === prefix) return serveIndex(c, registry)
  const path = c.req.path.slice(prefix.length + 1)
  const document = registry.document(path)
  if (document === undefined) return sendBytes(c, 404, {}, '')
  const hash = await document.etag()
  if (!acceptsJson(c.req.header('accept'))) return sendBytes(c, 406, { vary: 'Accept' }, '')
  const headers: Record<string, string> = { etag: `"${hash}"`, vary: 'Accept', 'content-type': 'application/json' }
  const asked = queryOf(c).get('hash')
  if (asked && asked !== hash) return sendBytes(c, 301, { location: urlOf(path, hash), vary: 'Accept' }, '')
  // A URL with the right hash never means anything else.
  if (asked) headers['cache-control'] = 'public, immutable'
  if (asked) headers['expires'] = new Date(Date.now() + 365 * 86_400_000).toUTCString()
  if (c.req.header('if-none-match') === headers['etag']) return notModified(c, headers)
  return sendBytes(c, 200, headers, await document.bytes())
}

async function serveIndex(c: InstallerContext, registry: OpenApiRegistry): Promise<Response> {
  const paths: Record<string, { serverRelativeURL: string }> = {}
  for (const path of registry.paths()) {
    const hash = await registry.document(path)?.etag()
    if (hash !== undefined) paths[path] = { serverRelativeURL: urlOf(path, hash) }
  }
  const body = JSON.stringify({ paths })
  const headers: Record<string, string> = {
    etag: `"${createHash('sha512').update(body).digest('hex').toUpperCase()}"`,
    'content-type': 'text/plain; charset=utf-8',
  }
  return c.req.header('if-none-match') === headers['etag'] ? notModified(c, headers) : sendBytes(c, 200, headers, body)
}

function notModified(c: InstallerContext, headers: Record<string, string>): Response {
  delete headers['content-type']
  return sendBytes(c, 304, headers, '')
}

function urlOf(path: string, hash: string): string {
  return `${prefix}/${path}?hash=${hash}`
}

/** The original also writes it as protobuf; kubectl and client-go ask for JSON. */
function acceptsJson(accept: string | undefined): boolean {
  if (accept === undefined || accept === '') return true
  return parseAccept(accept).some(
    ({ type, subtype }) => (type === 'application' || type === '*') && (subtype === 'json' || subtype === '*'),
  )
}
