import type { Filter } from './filter.ts'

/** Makes browsers use only HTTPS (`Strict-Transport-Security`). Not configured without directives. */
export function strictTransportSecurity(directives: readonly string[]): Filter | undefined {
  if (directives.length === 0) return undefined
  const headers = ['Strict-Transport-Security', directives.join('; ')]
  return (exchange) => exchange.addHeaders(headers)
}
