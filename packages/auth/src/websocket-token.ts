import type { IncomingHttpHeaders } from 'node:http'
import { websocketTokenProtocol as prefix } from '@keelson/apimachinery/httpstream'
import { unknownCredentials } from './authenticator.ts'
import type { AuthenticationResult, Authenticator } from './authenticator.ts'

const header = 'sec-websocket-protocol'

/**
 * A bearer token among the protocols of a WebSocket, which is the only place where a page can put one. Another protocol must be offered with it,
 * since one has to be chosen. `bearer` decides about the token; where it accepts, the token is taken out of the headers.
 */
export function createWebSocketTokenAuthenticator(bearer: Authenticator): Authenticator {
  return {
    authenticate: (credentials) => {
      const { headers } = credentials
      const offered = headers[header]
      if (offered === undefined || !offered.includes(prefix) || !asksForWebSocket(headers)) return unknownCredentials
      const found = readProtocols(offered)
      if (typeof found === 'string') return { outcome: 'rejected', reason: found }
      const accept = (result: AuthenticationResult): AuthenticationResult => {
        if (result.outcome === 'authenticated') headers[header] = found.others.join(',')
        return result
      }
      const asked = bearer.authenticate({ ...credentials, headers: { authorization: `Bearer ${found.token}` }, connection: undefined })
      return asked instanceof Promise ? asked.then(accept) : accept(asked)
    },
  }
}

function asksForWebSocket({ connection = '', upgrade = '' }: IncomingHttpHeaders): boolean {
  return upgrade.toLowerCase() === 'websocket' && /(^|[\s,])upgrade([\s,]|$)/i.test(connection)
}

/** Or what is wrong with them. */
function readProtocols(offered: string): { readonly token: string; readonly others: readonly string[] } | string {
  const protocols = offered.split(',').map((protocol) => protocol.trim())
  const others = protocols.filter((protocol) => !protocol.startsWith(prefix))
  const [encoded = '', ...more] = protocols
    .filter((protocol) => protocol.startsWith(prefix))
    .map((protocol) => protocol.slice(prefix.length))
  if (more.length > 0) return 'multiple base64.bearer.authorization tokens specified'
  if (!/^[\w-]+$/.test(encoded)) return 'invalid base64.bearer.authorization token encoding'
  const token = Buffer.from(encoded, 'base64url').toString()
  // As a header it would be two things; no token of ours has spaces.
  if (/[\s\ufffd]/.test(token)) return 'invalid base64.bearer.authorization token'
  if (others.length === 0) return 'missing additional subprotocol'
  return { token, others }
}
