import { newGenericServerResponse } from '@keelson/apimachinery'
import type { Exchange } from '@keelson/exchange'
import { checkAcceptable, checkTakesJson } from '../negotiation/negotiate.ts'
import { writeError } from '../encoding/write-error.ts'

const nowhere = { group: '', resource: '' }

/** Serves a document that can only be read, in all usual encodings. */
export function serveDocument(exchange: Exchange, write: () => void): void {
  serveReadOnly(exchange, () => checkAcceptable(exchange, false), write)
}

/** The same for a document that is JSON only. */
export function serveJsonDocument(exchange: Exchange, write: () => void): void {
  serveReadOnly(exchange, () => checkTakesJson(exchange), write)
}

function serveReadOnly(exchange: Exchange, checkAccept: () => void, write: () => void): void {
  serveAnyMethod(exchange, () => {
    if (exchange.method !== 'GET') throw newGenericServerResponse(405, exchange.method, nowhere, '')
    checkAccept()
    write()
  })
}

/** Serves a document whatever the method is. */
export function serveAnyMethod(exchange: Exchange, write: () => void): void {
  try {
    write()
  } catch (error) {
    writeError(exchange, error)
  }
}

/** Responds 404 to a path of an installed group. */
export function writeNothingThere(exchange: Exchange): void {
  writeError(exchange, newGenericServerResponse(404, exchange.method, nowhere, ''))
}
