import type { Auditor } from '@keelson/audit'
import { quote } from '@keelson/apimachinery'
import type { Exchange } from '@keelson/exchange'
import { createPlainError, sendPlain } from '../plain-answer.ts'
import type { Filter, FilterOutcome } from './filter.ts'

/** Creates a filter that opens the audit record of a request, so that authentication can annotate it. */
export function openAudit(auditor: Pick<Auditor, 'open'> | undefined): Filter | undefined {
  return auditor && ((exchange) => auditor.open(exchange))
}

/**
 * Creates a filter that records the arrival of an authenticated request, if the audit policy requires it. Answers 500 if the event must be
 * stored and cannot be.
 */
export function audit(auditor: Pick<Auditor, 'open'> | undefined): Filter | undefined {
  function finish(exchange: Exchange, isStored: boolean): FilterOutcome {
    if (isStored) return
    sendPlain(exchange, createPlainError(500, `Internal Server Error: ${quote(exchange.target.text)}: failed to store audit event`))
    return 'answered'
  }
  if (auditor === undefined) return undefined
  return (exchange) => {
    const stored = exchange.audit?.begin() ?? true
    if (!(stored instanceof Promise)) return finish(exchange, stored)
    return stored.then((isStored) => {
      exchange.phaseStarted = performance.now()
      return finish(exchange, isStored)
    })
  }
}

/** Describes the credentials of a request that was not authenticated, for its audit event. */
export function describeCredentials(exchange: Exchange, hasCertificate: boolean): string {
  const { authorization } = exchange.incoming.headers
  const methods = [
    ...(isBasic(authorization) ? ['basic'] : []),
    ...(/^bearer /i.test(authorization?.trim() ?? '') ? ['bearer'] : []),
    ...((exchange.query.get('access_token') ?? '').trim() === '' ? [] : ['access_token']),
    ...(hasCertificate ? ['x509'] : []),
  ]
  return methods.length === 0 ? 'Authentication failed, no credentials provided' : `Authentication failed, attempted: ${methods.join(', ')}`
}

/** Returns whether a header has credentials of basic authentication: a user name and a password in base64, with a colon between them. */
function isBasic(authorization: string | undefined): boolean {
  const match = /^basic ([A-Za-z0-9+/]*={0,2})$/i.exec(authorization ?? '')
  return match !== null && match[1]!.length % 4 === 0 && Buffer.from(match[1]!, 'base64').includes(':')
}
