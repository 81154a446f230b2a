import type { UserInfo } from '@keelson/apimachinery'
import { parseRequestInfo, sendBytes } from '@keelson/exchange'
import type { ExchangeServices } from '@keelson/exchange'
import type { Hono, MiddlewareHandler } from 'hono'
import { openExchange } from './hono.ts'
import type { InstallerEnv } from './hono.ts'
import { createRouteFinder } from '../install-api-group.ts'
import { writeError } from '../encoding/write-error.ts'

export interface CreateExchangesOptions extends ExchangeServices {
  /** User of all requests. */
  readonly user: UserInfo
}

/**
 * Returns middleware that opens an exchange with attributes and a route for each request. Use it for an app without `@keelson/server`.
 * Requests are not authorized.
 */
export function createExchanges(app: Hono<InstallerEnv>, { user, ...services }: CreateExchangesOptions): MiddlewareHandler<InstallerEnv> {
  const findRoute = createRouteFinder(app)
  return async (c, next) => {
    await openExchange(c, services, async (exchange) => {
      exchange.requestor = exchange.user = user
      if (!exchange.hasValidTarget) return sendBytes(exchange, 400, {}, '400 Bad Request\n')
      try {
        const attributes = parseRequestInfo(exchange.method, exchange.target, exchange.query)
        exchange.interpret(attributes, findRoute(attributes))
        await next()
      } catch (error) {
        writeError(exchange, error)
      } finally {
        exchange.bodyReservation?.release()
        exchange.end()
      }
    })
  }
}
