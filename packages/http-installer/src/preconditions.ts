import { newGenericServerResponse } from '@keelson/apimachinery'
import type { ApiError } from '@keelson/apimachinery'
import { mediaTypesOf } from '@keelson/exchange'
import { headerOf } from './context.ts'
import type { InstallerContext } from './context.ts'
import { formsOf, mediaTypes } from './negotiate.ts'

const nowhere = { group: '', resource: '' }

/**
 * A first look at `Accept`, before the resource is known to be reachable: exact types or `*` + `/*` only, parameters aside.
 * Finer negotiation comes later and has other words. `first` is answered with beside the usual forms. Throws 406.
 */
export function checkAcceptable(c: InstallerContext, isList: boolean, first: readonly string[] = []): void {
  const accept = headerOf(c, 'accept')
  if (accept === undefined || accept === '') return
  const { mediaTypes: answers, streams } = formsOf(c)
  // The usual case, without taking the header apart.
  if (answers.includes(accept)) return
  for (const type of mediaTypesOf(accept)) {
    if (type === '*/*' || answers.includes(type) || first.includes(type)) return
  }
  throw notAcceptable([...first, ...answers, ...(isList ? streams : [])])
}

/** The same where there is only one form. */
export function checkTakesJson(c: InstallerContext): void {
  const accept = headerOf(c, 'accept')
  if (accept === undefined || accept === '') return
  const takes = mediaTypesOf(accept).some((type) => type === '*/*' || type === mediaTypes.json)
  if (!takes) throw notAcceptable([mediaTypes.json])
}

function notAcceptable(available: readonly string[]): ApiError {
  const serverMessage = `406: Not Acceptable\n\nAvailable representations: ${available.join(', ')}`
  return newGenericServerResponse(406, '', nowhere, '', { serverMessage })
}

/** Throws 415 when the method takes only certain bodies and this is none of them. */
export function checkConsumable(contentType: string | undefined, consumable: readonly string[]): void {
  if (mediaTypesOf(contentType || 'application/octet-stream').some((type) => consumable.includes(type))) return
  throw newGenericServerResponse(415, '', nowhere, '', { serverMessage: '415: Unsupported Media Type' })
}
