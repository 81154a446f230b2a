import { keySetPath, openIdConfigurationPath } from '@keelson/auth'
import type { OpenIdDocuments } from '@keelson/auth'
import { sendBytes } from '@keelson/exchange'
import { withExchange } from '@keelson/http-installer'
import type { Log, Server } from '@keelson/server'

/** Cache lifetime of the documents. A new key must be published for this long before it signs tokens. */
const headers = { 'cache-control': 'public, max-age=3600' }

/** Serves the OpenID documents for verifying service account tokens. Skips them with a log message if the issuer cannot be published. */
export function installOpenIdDocuments(server: Server, documents: () => OpenIdDocuments, log: Log): void {
  try {
    documents()
  } catch (error) {
    log(0, 'The issuer of service account tokens is not published', { err: error })
    return
  }
  const serve = (path: string, type: string, document: () => string | Uint8Array): unknown =>
    server.app.get(
      path,
      withExchange((exchange) => sendBytes(exchange, 200, { ...headers, 'content-type': type }, document())),
    )
  serve(openIdConfigurationPath, 'application/json', () => documents().configuration)
  serve(keySetPath, 'application/jwk-set+json', () => documents().keySet)
  server.addListedPaths(() => [openIdConfigurationPath, keySetPath])
}
