import { newGenericServerResponse } from '@keelson/apimachinery'
import type { Exchange } from '@keelson/exchange'
import { checkAcceptable, checkTakesJson } from '../negotiation/negotiate.ts'
import { writeError } from '../encoding/write-error.ts'

const noResource = { group: '', resource: '' }

/** Serves a read-only document in JSON, YAML, protobuf or CBOR. */
export function serveDocument(exchange: Exchange, write: () => void): void {
  serveReadOnly(exchange, () => checkAcceptable(exchange, false), write)
}

/** Serves a read-only document that exists only in JSON. */
export function serveJsonDocument(exchange: Exchange, write: () => void): void {
  serveReadOnly(exchange, () => checkTakesJson(exchange), write)
}

function serveReadOnly(exchange: Exchange, checkAccept: () => void, write: () => void): void {
  serveAnyMethod(exchange, () => {
    if (exchange.method !== 'GET') throw newGenericServerResponse(405, exchange.method, noResource, '')
    checkAccept()
    write()
  })
}

/** Serves a document for every HTTP method. */
export function serveAnyMethod(exchange: Exchange, write: () => void): void {
  try {
    write()
  } catch (error) {
    writeError(exchange, error)
  }
}

/** Answers 404 to a request for an unknown path of an installed group. */
export function writeNothingThere(exchange: Exchange): void {
  writeError(exchange, newGenericServerResponse(404, exchange.method, noResource, ''))
}
