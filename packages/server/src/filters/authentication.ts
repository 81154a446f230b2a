import { anonymousUser, newUnauthorized, unauthenticatedGroup } from '@keelson/apimachinery'
import { createIdentityHeaderRemover } from '@keelson/auth'
import type { AuthenticationResult, Authenticator, IdentityHeaders } from '@keelson/auth'
import type { Exchange } from '@keelson/exchange'
import { writeError } from '@keelson/http-installer'
import type { AccessMetrics } from '../access-metrics.ts'
import { closeAfterAnswer } from '../close-after-answer.ts'
import { connectionKey, connectionOf } from '../peer.ts'
import type { Connection, Peer } from '../peer.ts'
import type { RequestMetrics } from '../request-metrics.ts'
import type { Filter, FilterOutcome } from './filter.ts'

export interface AuthenticationFilterOptions {
  /** Headers that name users besides `X-Remote-*`. */
  readonly identityHeaders: IdentityHeaders
  readonly access: Pick<AccessMetrics, 'authenticated'>
  readonly metrics: Pick<RequestMetrics, 'clientCertificate'>
}

interface Client {
  readonly connection: Connection | undefined
  readonly peer: Peer | undefined
}

/** Sets the user of a request, or answers 401. Unauthenticated HTTP/2 clients get one request per connection, because idle sessions are expensive. */
export function authenticate(authenticator: Authenticator, options: AuthenticationFilterOptions): Filter {
  const { access, metrics } = options
  const removeIdentityHeaders = createIdentityHeaderRemover(options.identityHeaders)

  function finish(exchange: Exchange, result: AuthenticationResult, { connection, peer }: Client): FilterOutcome {
    const { incoming, outgoing } = exchange
    // One clock reading ends this phase and starts the next.
    exchange.phaseStarted = performance.now()
    access.authenticated(result, (exchange.phaseStarted - exchange.started) / 1000)
    if (result.outcome !== 'authenticated') {
      closeAfterAnswer(incoming)
      // On a new connection the client may show another certificate, or the same one to other authorities.
      if (peer?.error !== undefined && 'shouldKeepAlive' in outgoing) outgoing.shouldKeepAlive = false
      writeError(exchange, newUnauthorized('Unauthorized'))
      return 'answered'
    }
    if (peer?.certificate !== undefined) metrics.clientCertificate.observe((peer.expires - Date.now()) / 1000)
    const { user } = result
    exchange.requestor = exchange.user = user
    if (user.name === anonymousUser || user.groups.includes(unauthenticatedGroup)) closeAfterAnswer(incoming)
    else connection?.identified()
    // Neither a handler nor a server that the request is proxied to sees the credentials.
    delete incoming.headers.authorization
    removeIdentityHeaders(incoming)
  }
  return (exchange) => {
    const { incoming, presetUser } = exchange
    const key = connectionKey(incoming)
    const connection = connectionOf(key)
    const client = { connection, peer: connection?.peer }
    if (presetUser !== undefined) return finish(exchange, { outcome: 'authenticated', user: presetUser }, client)
    const frontProxy = connection?.frontProxy
    const result = authenticator.authenticate({
      headers: incoming.headers,
      rawHeaders: incoming.rawHeaders,
      path: exchange.info.path,
      peerCertificate: client.peer?.certificate,
      peerCertificateError: client.peer?.error,
      frontProxyCertificate: frontProxy?.certificate,
      frontProxyCertificateError: frontProxy?.error,
      connection: key,
    })
    return result instanceof Promise ? result.then((late) => finish(exchange, late, client)) : finish(exchange, result, client)
  }
}
