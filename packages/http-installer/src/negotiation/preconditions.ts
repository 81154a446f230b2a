import { newGenericServerResponse } from '@keelson/apimachinery'
import type { ApiError } from '@keelson/apimachinery'
import { mediaTypesOf } from '@keelson/exchange'
import type { Exchange } from '@keelson/exchange'
import { formsOf, mediaTypes } from './negotiate.ts'

const nowhere = { group: '', resource: '' }

/**
 * The check of Accept that kube-apiserver's router makes before any handler: exact media types or `*` + `/*`, parameters ignored. Handlers negotiate
 * in detail and with other messages. `first`: types that the handler produces besides the usual ones. Throws 406.
 */
export function checkAcceptable(exchange: Exchange, isList: boolean, first: readonly string[] = []): void {
  const { accept } = exchange
  if (accept === '') return
  const { mediaTypes: answers, streams } = formsOf(exchange)
  // The usual case, without parsing.
  if (answers.includes(accept)) return
  for (const type of exchange.acceptedTypes) {
    if (type === '*/*' || answers.includes(type) || first.includes(type)) return
  }
  throw notAcceptable([...first, ...answers, ...(isList ? streams : [])])
}

/** The same for documents that are JSON only. */
export function checkTakesJson(exchange: Exchange): void {
  if (exchange.accept === '') return
  const takes = exchange.acceptedTypes.some((type) => type === '*/*' || type === mediaTypes.json)
  if (!takes) throw notAcceptable([mediaTypes.json])
}

function notAcceptable(available: readonly string[]): ApiError {
  const serverMessage = `406: Not Acceptable\n\nAvailable representations: ${available.join(', ')}`
  return newGenericServerResponse(406, '', nowhere, '', { serverMessage })
}

/** Throws 415 unless one of the content types is among `consumable`. */
export function checkConsumable(contentType: string | undefined, consumable: readonly string[]): void {
  if (mediaTypesOf(contentType || 'application/octet-stream').some((type) => consumable.includes(type))) return
  throw newGenericServerResponse(415, '', nowhere, '', { serverMessage: '415: Unsupported Media Type' })
}
