import { StartError } from './start-error.ts'

/**
 * Parses a regular expression for `Origin` headers. It must be anchored at both ends of the host name, so that it cannot match a longer
 * host name. Throws `StartError`.
 */
export function parseOriginPattern(text: string): RegExp {
  const createError = (reason: string): StartError =>
    new StartError(`--cors-allowed-origins has an invalid regular expression: ${reason}`, { isUsage: true })
  const [, insensitive, body = ''] = /^(\(\?i\))?(.*)$/s.exec(text) ?? []
  let pattern: RegExp
  try {
    pattern = new RegExp(body, insensitive === undefined ? '' : 'i')
  } catch (error) {
    throw createError((error as Error).message)
  }
  if (!/\^|\/\//.test(text) || !/[$:]/.test(text)) {
    throw createError(`${JSON.stringify(text)} does not pin to start/end of host in the origin header ('//example\\.com(:|$)' does)`)
  }
  return pattern
}

/** Parses a directive of the Strict-Transport-Security header. Throws `StartError`. */
export function parseHstsDirective(text: string): string {
  if (text === 'includeSubDomains' || text === 'preload' || /^max-age=[^=]*$/.test(text)) return text
  const allowed = 'allowed values: max-age=expireTime, includeSubDomains, preload'
  throw new StartError(`--strict-transport-security-directives: ${JSON.stringify(text)} is invalid, ${allowed}`, { isUsage: true })
}
