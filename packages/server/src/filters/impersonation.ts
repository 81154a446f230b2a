import { isApiError } from '@keelson/apimachinery'
import { createImpersonation, parseImpersonatedUser } from '@keelson/auth'
import type { Authorizer, ImpersonationOptions } from '@keelson/auth'
import type { Exchange } from '@keelson/exchange'
import { writeError } from '@keelson/http-installer'
import type { Filter, FilterOutcome } from './filter.ts'

/**
 * Creates a filter for impersonation: the request runs as the user in its `Impersonate-*` headers, if the authenticated user may
 * impersonate that user.
 */
export function impersonate(authorizer: Authorizer, options: ImpersonationOptions = {}): Filter {
  const authorizeImpersonation = createImpersonation(authorizer, options)
  async function authorize(exchange: Exchange, user: NonNullable<ReturnType<typeof parseImpersonatedUser>>): Promise<FilterOutcome> {
    const began = performance.now()
    try {
      const impersonated = await authorizeImpersonation({ user: exchange.requestor, action: exchange.attributes, impersonated: user })
      exchange.user = impersonated.user
      exchange.audit?.recordImpersonation(impersonated.user, impersonated.constraint)
    } catch (error) {
      return answerError(exchange, error)
    } finally {
      exchange.phaseStarted = performance.now()
      exchange.addLatency?.('impersonation', exchange.phaseStarted - began)
    }
  }
  return (exchange) => {
    try {
      const user = parseImpersonatedUser(exchange.incoming.rawHeaders)
      return user === undefined ? undefined : authorize(exchange, user)
    } catch (error) {
      return answerError(exchange, error)
    }
  }
}

function answerError(exchange: Exchange, error: unknown): FilterOutcome {
  if (!isApiError(error)) throw error
  writeError(exchange, error)
  return 'answered'
}
