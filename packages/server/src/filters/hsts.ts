import type { Filter } from './filter.ts'

/** Tells browsers to use HTTPS only (`Strict-Transport-Security`), if there are directives. */
export function strictTransportSecurity(directives: readonly string[]): Filter | undefined {
  if (directives.length === 0) return undefined
  const headers = ['Strict-Transport-Security', directives.join('; ')]
  return (exchange) => exchange.addHeaders(headers)
}
