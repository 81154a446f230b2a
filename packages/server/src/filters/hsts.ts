import type { Filter } from './filter.ts'

/**
 * Creates a filter that sends the `Strict-Transport-Security` header, so that browsers use only HTTPS. Returns undefined if there are no
 * directives.
 */
export function createHstsFilter(directives: readonly string[]): Filter | undefined {
  if (directives.length === 0) return undefined
  const headers = ['Strict-Transport-Security', directives.join('; ')]
  return (exchange) => exchange.addHeaders(headers)
}
