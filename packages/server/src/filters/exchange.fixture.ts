import { Exchange, openFetchPair, parseRequestInfo } from '@keelson/exchange'
import type { ExchangeServices, FetchOutcome } from '@keelson/exchange'

export interface OpenedExchange {
  readonly exchange: Exchange
  readonly response: Promise<Response>
}

/** Opens an exchange for a request without a socket. The exchange has request attributes but no route. */
export function openTestExchange(path = '/api/v1/pods', init: RequestInit = {}, services: ExchangeServices = {}): OpenedExchange {
  let outcome!: FetchOutcome
  const response = new Promise<Response>((resolve, reject) => (outcome = { resolve, reject }))
  const { incoming, outgoing } = openFetchPair(new Request(`https://server${path}`, init), outcome)
  const exchange = new Exchange(incoming, outgoing, services)
  exchange.interpret(parseRequestInfo(exchange.method, exchange.target, exchange.query), undefined)
  return { exchange, response }
}
