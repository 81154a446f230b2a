import { keySetPath, openIdConfigurationPath } from '@keelson/auth'
import type { OpenIdDocuments } from '@keelson/auth'
import { sendBytes } from '@keelson/exchange'
import { withExchange } from '@keelson/http-installer'
import type { Log, Server } from '@keelson/server'

/** How long a reader may keep the documents; a new key must be published for so long before it signs. */
const headers = { 'cache-control': 'public, max-age=3600' }

/** What checks service account tokens elsewhere reads here. Left out, with a word in the log, for an issuer that cannot be published. */
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
