import { newGenericServerResponse } from '@keelson/apimachinery'
import type { ApiError } from '@keelson/apimachinery'
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
  for (const range of accept.split(',')) {
    const type = bare(range)
    if (type === '*/*' || answers.includes(type) || first.includes(type)) return
  }
  throw notAcceptable([...first, ...answers, ...(isList ? streams : [])])
}

/** The same where there is only one form. */
export function checkTakesJson(c: InstallerContext): void {
  const accept = headerOf(c, 'accept')
  if (accept === undefined || accept === '') return
  const takes = accept.split(',').some((range) => ['*/*', mediaTypes.json].includes(bare(range)))
  if (!takes) throw notAcceptable([mediaTypes.json])
}

function notAcceptable(available: readonly string[]): ApiError {
  const serverMessage = `406: Not Acceptable\n\nAvailable representations: ${available.join(', ')}`
  return newGenericServerResponse(406, '', nowhere, '', { serverMessage })
}

/** Throws 415 when the method takes only certain bodies and this is none of them. */
export function checkConsumable(contentType: string | undefined, consumable: readonly string[]): void {
  for (const type of (contentType || 'application/octet-stream').split(',')) {
    if (consumable.includes(bare(type))) return
  }
  throw newGenericServerResponse(415, '', nowhere, '', { serverMessage: '415: Unsupported Media Type' })
}

function bare(type: string): string {
  const semicolon = type.indexOf(';')
  return (semicolon < 0 ? type : type.slice(0, semicolon)).trim()
}
