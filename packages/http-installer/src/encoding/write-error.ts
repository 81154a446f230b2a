import { isApiError, newBadRequest, newInternal } from '@keelson/apimachinery'
import type { ApiError, Status } from '@keelson/apimachinery'
import { toYaml } from '@keelson/apimachinery/yaml'
import { BrokenResponseError, ClientGoneError, sendBytes } from '@keelson/exchange'
import type { Exchange, ResponseHeaders } from '@keelson/exchange'
import { encodeUnknown } from '@keelson/api'
import { metaV1 } from '@keelson/api/meta/v1'
import { endResponseStep, startResponseStep } from '../handlers/request-step.ts'
import { mediaTypes, prefersPretty, tryNegotiate } from '../negotiation/negotiate.ts'
import type { Negotiated } from '../negotiation/negotiate.ts'

/**
 * Sends an error as an HTTP response. An ApiError becomes its Status, in an encoding that the client accepts, or else in JSON. Any other
 * error becomes a 500 without details. All other functions use this one to send errors.
 */
export function writeError(exchange: Exchange, error: unknown): void {
  if (error instanceof BrokenResponseError || error instanceof ClientGoneError) return
  const apiError = isApiError(error) ? error : createUnexpectedError(error)
  return writeStatus(exchange, apiError.code, apiError.status, createHeaders(apiError))
}

/**
 * Converts an unexpected exception to an ApiError. A document that is nested too deep overflows the stack of recursive functions. It gets
 * the same error as a document that is nested too deep for the JSON decoder.
 */
function createUnexpectedError(error: unknown): ApiError {
  if (error instanceof RangeError && error.message === 'Maximum call stack size exceeded') {
    return newBadRequest('exceeded max depth', { cause: error })
  }
  return newInternal('the server could not handle the request', { cause: error })
}

function createHeaders(error: ApiError): ResponseHeaders {
  const retry = error.details?.retryAfterSeconds
  return retry ? { 'retry-after': String(retry) } : {}
}

/** Sends a Status: an error, or the result of a delete that returns no object. */
export function writeStatus(exchange: Exchange, code: number, status: Status, headers: ResponseHeaders = {}): void {
  const negotiated = tryNegotiate(exchange, 'error')
  if (exchange.span === undefined) return sendStatus(exchange, code, status, { negotiated, headers })
  const form = negotiated?.form ?? 'json'
  const step = startResponseStep(exchange, { mediaType: mediaTypes[form], encoder: form })
  sendStatus(exchange, code, status, { negotiated, headers })
  endResponseStep(exchange, step)
}

interface StatusEncoding {
  /** Undefined if the client accepts no known encoding. */
  readonly negotiated: Negotiated | undefined
  readonly headers: ResponseHeaders
}

function sendStatus(exchange: Exchange, code: number, status: Status, { negotiated, headers }: StatusEncoding): void {
  if (negotiated === undefined) {
    headers['content-type'] = mediaTypes.json
    return sendBytes(exchange, code, headers, JSON.stringify(status, undefined, 2))
  }
  // As in kube-apiserver, the event of a client that accepts no known encoding has only the code.
  exchange.audit?.recordStatus(status)
  headers['content-type'] = mediaTypes[negotiated.form]
  switch (negotiated.form) {
    case 'json': {
      const pretty = negotiated.pretty || prefersPretty(exchange.query, exchange.userAgent)
      return sendBytes(exchange, code, headers, pretty ? JSON.stringify(status, undefined, 2) : `${JSON.stringify(status)}\n`)
    }
    case 'yaml':
      return sendBytes(exchange, code, headers, toYaml(status))
    case 'cbor':
      return sendBytes(exchange, code, headers, exchange.services.cbor!.encodeCborDocument(status))
    case 'protobuf': {
      const gvk = { group: '', version: 'v1', kind: 'Status' }
      return sendBytes(exchange, code, headers, encodeUnknown(gvk, findStatusType().encodeProto(status)))
    }
  }
}

function findStatusType() {
  const type = metaV1.kinds.find((kind) => kind.gvk.kind === 'Status')
  if (type === undefined) throw new Error('meta/v1 has no Status')
  return type
}

/** Answers 404 to a request for a path of no installed group. */
export function writePageNotFound(exchange: Exchange): void {
  return sendBytes(
    exchange,
    404,
    { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' },
    '404 page not found\n',
  )
}
