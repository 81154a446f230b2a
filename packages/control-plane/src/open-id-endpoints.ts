import { keySetPath, openIdConfigurationPath } from '@keelson/auth'
import { sendBytes } from '@keelson/exchange'
import { withExchange } from '@keelson/http-installer'
import type { Log, Server } from '@keelson/server'
import type { PublishedDocuments } from './build-service-account-tokens.ts'

/**
 * Serves the OpenID documents with which other systems verify service account tokens. If the issuer URL cannot be published, logs the
 * reason and does not serve them.
 */
export function installOpenIdDocuments(server: Server, getDocuments: () => PublishedDocuments, log: Log): void {
  try {
    getDocuments()
  } catch (error) {
    log(0, 'The issuer of service account tokens is not published', { err: error })
    return
  }
  const serve = (path: string, type: string, document: 'configuration' | 'keySet'): unknown =>
    server.app.get(
      path,
      withExchange((exchange) => {
        const { maxAgeSeconds, [document]: body } = getDocuments()
        // These documents may be cached, unlike other responses.
        exchange.commonHeaders = exchange.commonHeaders.filter((_, i, list) => list[i - (i % 2)]!.toLowerCase() !== 'cache-control')
        return sendBytes(exchange, 200, { 'cache-control': `public, max-age=${maxAgeSeconds}`, 'content-type': type }, body)
      }),
    )
  serve(openIdConfigurationPath, 'application/json', 'configuration')
  serve(keySetPath, 'application/jwk-set+json', 'keySet')
  server.addListedPaths(() => [openIdConfigurationPath, keySetPath])
}
