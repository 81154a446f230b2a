import type { Exchange, ExchangeServices } from '@keelson/exchange'
import { isExchange } from '@keelson/exchange'
import { openExchange, responseSent, writePageNotFound } from '@keelson/http-installer'
import type { InstallerEnv } from '@keelson/http-installer'
import type { MiddlewareHandler, Next } from 'hono'
import { passFilters } from './filters/filter.ts'
import type { Filter } from './filters/filter.ts'
import { plainError, sendPlain } from './plain-answer.ts'

export interface HandlerChainOptions {
  readonly filters: readonly Filter[]
  /** For exchanges that are opened here. */
  readonly services: ExchangeServices
  readonly onPanic: (error: unknown, exchange: Exchange) => void
}

/** The filters as Hono middleware in front of everything that is mounted on the app. */
export function createHandlerChain({ filters, services, onPanic }: HandlerChainOptions): MiddlewareHandler<InstallerEnv> {
  /** One await for all filters: a promise for each would cost a small request more than the filters do. */
  async function serve(exchange: Exchange, next: Next): Promise<Response | void> {
    try {
      const outcome = passFilters(filters, exchange)
      if ((outcome instanceof Promise ? await outcome : outcome) === 'answered') return responseSent
      await next()
    } catch (error) {
      onPanic(error, exchange)
      answerPanic(exchange)
      return responseSent
    } finally {
      exchange.end()
    }
  }
  return (c, next) => {
    const { env } = c
    if (isExchange(env)) return serve(env, next)
    // The app is mounted in another one, which has its own reading of paths: the path that was authorized must be the one that is dispatched.
    return openExchange(c, services, (exchange) => {
      if (exchange.target.path === c.req.path) return serve(exchange, next)
      writePageNotFound(exchange)
      return Promise.resolve()
    })
  }
}

/** Answers a request whose handler failed with a bug. The response contains nothing about it. */
export function answerPanic(exchange: Exchange): void {
  const { outgoing } = exchange
  if (outgoing.headersSent && !outgoing.writableEnded) outgoing.destroy()
  sendPlain(exchange, plainError(500, 'This request caused apiserver to panic. Look in the logs for details.'))
}
