import type { IncomingHttpHeaders } from 'node:http'
import { websocketTokenProtocol as prefix } from '@keelson/apimachinery/httpstream'
import { unknownCredentials } from './authenticator.ts'
import type { AuthenticationResult, Authenticator } from './authenticator.ts'

const header = 'sec-websocket-protocol'

/**
 * Authenticates WebSocket requests by a bearer token in the subprotocols, because a web page cannot set other headers. The client must
 * offer another subprotocol too, since the server has to choose one. If `bearer` accepts the token, it is removed from the headers.
 */
export function createWebSocketTokenAuthenticator(bearer: Authenticator): Authenticator {
  return {
    authenticate: (credentials) => {
      const { headers } = credentials
      const offered = headers[header]
      if (offered === undefined || !offered.includes(prefix) || !isWebSocketHandshake(headers)) return unknownCredentials
      const protocols = readProtocols(offered)
      if (typeof protocols === 'string') return { outcome: 'rejected', reason: protocols }
      const accept = (result: AuthenticationResult): AuthenticationResult => {
        if (result.outcome === 'authenticated') headers[header] = protocols.otherProtocols.join(',')
        return result
      }
      const authenticated = bearer.authenticate({
        ...credentials,
        headers: { authorization: `Bearer ${protocols.token}` },
        connection: undefined,
      })
      return authenticated instanceof Promise ? authenticated.then(accept) : accept(authenticated)
    },
  }
}

function isWebSocketHandshake({ connection = '', upgrade = '' }: IncomingHttpHeaders): boolean {
  return upgrade.toLowerCase() === 'websocket' && /(^|[\s,])upgrade([\s,]|$)/i.test(connection)
}

/** Returns the token and the other subprotocols, or an error message. */
function readProtocols(offered: string): { readonly token: string; readonly otherProtocols: readonly string[] } | string {
  const protocols = offered.split(',').map((protocol) => protocol.trim())
  const otherProtocols = protocols.filter((protocol) => !protocol.startsWith(prefix))
  const [encoded = '', ...more] = protocols
    .filter((protocol) => protocol.startsWith(prefix))
    .map((protocol) => protocol.slice(prefix.length))
  if (more.length > 0) return 'multiple base64.bearer.authorization tokens specified'
  if (!/^[\w-]+$/.test(encoded)) return 'invalid base64.bearer.authorization token encoding'
  const token = Buffer.from(encoded, 'base64url').toString()
  // A token with spaces would be truncated in the Authorization header. Valid tokens contain no spaces.
  if (/[\s\ufffd]/.test(token)) return 'invalid base64.bearer.authorization token'
  if (otherProtocols.length === 0) return 'missing additional subprotocol'
  return { token, otherProtocols }
}
