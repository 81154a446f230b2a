import { generateKeyPairSync } from 'node:crypto'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { Provider } from 'oidc-provider'
import type { Configuration, JWK } from 'oidc-provider'

export interface IdentityProvider extends AsyncDisposable {
  readonly issuer: string
  /** Requests a token from the provider, like a client. Tokens for the audience `https://short.example.com` expire after a second. */
  requestToken(audience: string): Promise<string>
  /** Replaces the signing keys of the provider. */
  rotate(): void
}

export interface IdentityProviderOptions {
  readonly certificate: string
  readonly key: string
  /** Claims that every token contains. */
  readonly claims: Readonly<Record<string, unknown>>
}

export const clientId = 'kubectl'
export const clientSecret = 'a secret of at least thirty-two characters'

/** Starts an OpenID Connect provider (npm's oidc-provider) on a free port of 127.0.0.1. */
export async function startIdentityProvider({ certificate, key, claims }: IdentityProviderOptions): Promise<IdentityProvider> {
  let answer: ReturnType<Provider['callback']> | undefined
  const server = createServer({ cert: certificate, key }, (request, response) => void answer?.(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const issuer = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
  let generation = 0

  function start(): void {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const jwk = { ...privateKey.export({ format: 'jwk' }), kid: `key-${++generation}`, use: 'sig', alg: 'RS256' } as JWK
    const configuration: Configuration = {
      clients: [
        { client_id: clientId, client_secret: clientSecret, grant_types: ['client_credentials'], redirect_uris: [], response_types: [] },
      ],
      cookies: { keys: ['cookies are not used here'] },
      jwks: { keys: [jwk] },
      extraTokenClaims: () => claims,
      features: {
        devInteractions: { enabled: false },
        clientCredentials: { enabled: true },
        resourceIndicators: {
          enabled: true,
          getResourceServerInfo: (_context, resource) => ({
            scope: '',
            audience: resource,
            accessTokenFormat: 'jwt',
            accessTokenTTL: resource === 'https://short.example.com' ? 1 : 3600,
            jwt: { sign: { alg: 'RS256' } },
          }),
        },
      },
    }
    answer = new Provider(issuer, configuration).callback()
  }
  start()
  return {
    issuer,
    rotate: start,
    async requestToken(audience) {
      const body = new URLSearchParams({ grant_type: 'client_credentials', resource: audience })
      const { default: https } = await import('node:https')
      const text = await new Promise<string>((resolve, reject) => {
        const authorization = `Basic ${Buffer.from(`${clientId}:${encodeURIComponent(clientSecret)}`).toString('base64')}`
        const headers = { authorization, 'content-type': 'application/x-www-form-urlencoded' }
        const request = https.request(
          `${issuer}/token`,
          { method: 'POST', ca: certificate, rejectUnauthorized: false, headers },
          (response) => {
            let requestBody = ''
            response.on('data', (chunk: Buffer) => (requestBody += chunk.toString()))
            response.on('end', () => resolve(requestBody))
          },
        )
        request.on('error', reject)
        request.end(body.toString())
      })
      const { access_token: token } = JSON.parse(text) as { access_token?: string }
      if (token === undefined) throw new Error(`no token: ${text}`)
      return token
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
