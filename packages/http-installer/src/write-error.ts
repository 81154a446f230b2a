import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { isApiError, newBadRequest, newInternal } from '@keelson/apimachinery'
import type { ApiError, Status } from '@keelson/apimachinery'
import { toYaml } from '@keelson/apimachinery/yaml'
import { parseQuery } from '@keelson/exchange'
import type { QueryParameters } from '@keelson/exchange'
import { encodeUnknown } from '@keelson/api'
import { metaV1 } from '@keelson/api/meta/v1'
import { targetOf } from './context.ts'
import type { InstallerContext } from './context.ts'
import { mediaTypes, prefersPretty, tryNegotiate } from './negotiate.ts'
import { ClientGoneError } from './read-body.ts'
import { BrokenResponseError, sendBytes } from './response.ts'
import type { ResponseHeaders } from './response.ts'

/**
 * The one translation of errors to HTTP: an ApiError's Status in the form that the client accepts (JSON when it accepts none),
 * anything else a 500 that says nothing of the inside.
 */
export function writeError(c: InstallerContext, error: unknown): Response {
  if (error instanceof BrokenResponseError || error instanceof ClientGoneError) return RESPONSE_ALREADY_SENT
  const apiError = isApiError(error) ? error : unexpected(error)
  return writeStatus(c, apiError.code, apiError.status, headersFor(apiError))
}

/** Documents are read, merged and printed along their nesting. One that is too deep for the stack is refused as one that is too deep for JSON. */
function unexpected(error: unknown): ApiError {
  if (error instanceof RangeError && error.message === 'Maximum call stack size exceeded') {
    return newBadRequest('exceeded max depth', { cause: error })
  }
  return newInternal('the server could not handle the request', { cause: error })
}

function headersFor(error: ApiError): ResponseHeaders {
  const retry = error.details?.retryAfterSeconds
  return retry ? { 'retry-after': String(retry) } : {}
}

/** Also the answer of a delete that has no object to show. */
export function writeStatus(c: InstallerContext, code: number, status: Status, headers: ResponseHeaders = {}): Response {
  const negotiated = tryNegotiate(c, 'error')
  if (negotiated === undefined) {
    headers['content-type'] = mediaTypes.json
    return sendBytes(c, code, headers, JSON.stringify(status, undefined, 2))
  }
  headers['content-type'] = mediaTypes[negotiated.form]
  switch (negotiated.form) {
    case 'json': {
      const pretty = negotiated.pretty || prefersPretty(queryOf(c), c.req.header('user-agent') ?? '')
      return sendBytes(c, code, headers, pretty ? JSON.stringify(status, undefined, 2) : `${JSON.stringify(status)}\n`)
    }
    case 'yaml':
      return sendBytes(c, code, headers, toYaml(status))
    case 'cbor':
      return sendBytes(c, code, headers, c.env.cbor!.encodeCborDocument(status))
    case 'protobuf': {
      const gvk = { group: '', version: 'v1', kind: 'Status' }
      return sendBytes(c, code, headers, encodeUnknown(gvk, statusType().encodeProto(status)))
    }
  }
}

function statusType() {
  const type = metaV1.kinds.find((kind) => kind.gvk.kind === 'Status')
  if (type === undefined) throw new Error('meta/v1 has no Status')
  return type
}

export function queryOf(c: InstallerContext): QueryParameters {
  try {
    return parseQuery(targetOf(c).query)
  } catch (error) {
    if (error instanceof URIError) return parseQuery('')
    throw error
  }
}

/** What a path outside of every known group answers. */
export function writePageNotFound(c: InstallerContext): Response {
  return sendBytes(c, 404, { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' }, '404 page not found\n')
}
