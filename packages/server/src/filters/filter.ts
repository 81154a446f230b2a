import type { Exchange, ExchangeServices } from '@keelson/exchange'
import { isExchange } from '@keelson/exchange'
import { openExchange, responseSent, writePageNotFound } from '@keelson/http-installer'
import type { InstallerEnv } from '@keelson/http-installer'
import type { MiddlewareHandler, Next } from 'hono'
import { createPlainError, sendPlain } from '../plain-answer.ts'

/** Result of a filter: 'answered' if the filter has sent the response; undefined if the request continues with the next filter. */
export type FilterOutcome = 'answered' | void

/**
 * A step before a request is dispatched. It may answer the request, change the exchange, wait (by returning a promise), and observe the end (`exchange.onEnd`).
 *
 * @example
 * const refuseDeletes: Filter = (exchange) => {
 *   if (exchange.attributes.verb !== 'deletecollection') return
 *   writeError(exchange, newForbidden({ group: '', resource: exchange.attributes.resource }, '', 'collections are kept'))
 *   return 'answered'
 * }
 */
export type Filter = (exchange: Exchange) => FilterOutcome | Promise<FilterOutcome>

/** A filter with a name. Custom filters are placed before or after that name. */
export interface NamedFilter {
  readonly name: string
  /** The filter. Undefined if it is not configured; its name can still be used to place other filters. */
  readonly filter: Filter | undefined
}

/**
 * A custom filter that is placed next to a named one. Exactly one of `before` and `after` is set. The named filter is one of the server's,
 * or a custom filter earlier in the list.
 */
export interface PlacedFilter extends NamedFilter {
  readonly filter: Filter
  readonly before?: string
  readonly after?: string
}

/**
 * Inserts the custom filters `placed` into the list. Throws `TypeError` for missing, ambiguous or unknown positions, and for duplicate
 * names.
 */
export function placeFilters(filters: readonly NamedFilter[], placed: readonly PlacedFilter[]): readonly NamedFilter[] {
  const list = [...filters]
  for (const { name, filter, before, after } of placed) {
    if ((before === undefined) === (after === undefined)) throw new TypeError(`filter ${name}: needs exactly one of before and after`)
    const neighbour = before ?? after!
    const index = list.findIndex((other) => other.name === neighbour)
    const names = list.map((other) => other.name)
    if (index < 0) throw new TypeError(`filter ${name}: there is no filter ${neighbour}; known: ${names.join(', ')}`)
    if (names.includes(name)) throw new TypeError(`filter ${name}: the name is taken`)
    list.splice(before === undefined ? index + 1 : index, 0, { name, filter })
  }
  return list
}

/** Runs the filters, starting at index `first`. Returns a promise only if a filter does, because promises cost time for every request. */
export function passFilters(filters: readonly Filter[], exchange: Exchange, first = 0): FilterOutcome | Promise<FilterOutcome> {
  for (let i = first; i < filters.length; i++) {
    const outcome = filters[i]!(exchange)
    if (outcome === undefined) continue
    if (!(outcome instanceof Promise)) return outcome
    // Stops if the deadline has passed in the meantime, because the request is then already answered.
    return outcome.then((late) => late ?? (exchange.isOver ? 'answered' : passFilters(filters, exchange, i + 1)))
  }
  return undefined
}

interface HandlerChainOptions {
  readonly filters: readonly Filter[]
  /** Services for exchanges that the handler chain opens itself. */
  readonly services: ExchangeServices
  readonly onPanic: (error: unknown, exchange: Exchange) => void
}

/** Returns Hono middleware that runs the filters before the handlers of the app. */
export function createHandlerChain({ filters, services, onPanic }: HandlerChainOptions): MiddlewareHandler<InstallerEnv> {
  /**
   * Runs the filters and then the handlers of the app. Awaits once for all filters, because a promise for each filter would cost a small
   * request more than the filters do.
   */
  async function serve(exchange: Exchange, next: Next): Promise<Response | void> {
    try {
      const outcome = passFilters(filters, exchange)
      if ((outcome instanceof Promise ? await outcome : outcome) === 'answered') return responseSent
      await next()
    } catch (error) {
      onPanic(error, exchange)
      exchange.audit?.recordPanic(error)
      answerPanic(exchange)
      return responseSent
    } finally {
      if (exchange.delayedResponse !== undefined) await exchange.delayedResponse
      exchange.end()
    }
  }
  return (c, next) => {
    const { env } = c
    if (isExchange(env)) return serve(env, next)
    // Refuses a request whose path differs from the authorized one. An outer app may normalize paths differently, and only the authorized
    // path may be dispatched.
    return openExchange(c, services, (exchange) => {
      if (exchange.target.path === c.req.path) return serve(exchange, next)
      writePageNotFound(exchange)
      return Promise.resolve()
    })
  }
}

/** Answers 500 if a handler failed because of a bug. The response contains no details of the error. */
export function answerPanic(exchange: Exchange): void {
  const { outgoing } = exchange
  if (outgoing.headersSent && !outgoing.writableEnded) outgoing.destroy()
  sendPlain(exchange, createPlainError(500, 'This request caused apiserver to panic. Look in the logs for details.'))
}
