import { mastersGroup } from '@keelson/apimachinery'
import {
  createAnonymousAuthenticator,
  createAuthenticatorUnion,
  createBearerTokenAuthenticator,
  createWebSocketTokenAuthenticator,
  createClientCertificateAuthenticator,
  createRequestHeaderAuthenticator,
  createStaticTokens,
  createTokenReviewer,
  generateToken,
  openTokenFile,
} from '@keelson/auth'
import type { Authenticator, RequestHeaderOptions, TokenAuthenticator, TokenReviewer } from '@keelson/auth'
import { buildServiceAccountTokens } from './build-service-account-tokens.ts'
import type { ServiceAccountTokens } from './build-service-account-tokens.ts'
import { ConfigurationError } from './configuration-error.ts'
import { readFeatureGates } from './feature-gates.ts'
import { authenticationDefaults } from './options/authentication.ts'
import type { ServerChainOptions } from './options/server-chain-options.ts'
import { requestHeaders } from './request-headers.ts'

export interface Authentication {
  readonly authenticator: Authenticator
  /** Random bearer token of `system:masters`, created on each start. */
  readonly adminToken: string
  readonly serviceAccounts: ServiceAccountTokens
  /** Headers in which front proxies name users. Undefined if no front proxy is trusted. */
  readonly requestHeaders: RequestHeaderOptions | undefined
  /** Reviews tokens for TokenReview. */
  readonly tokenReviewer: TokenReviewer
}

export async function buildAuthentication(options: ServerChainOptions): Promise<Authentication> {
  const adminToken = generateToken()
  const tokens: TokenAuthenticator[] = [createStaticTokens([[adminToken, { name: 'kubernetes-admin', groups: [mastersGroup] }]])]
  const authentication = { ...authenticationDefaults, ...options.authentication }
  if (authentication.tokenFile !== undefined) tokens.push(await readTokens(authentication.tokenFile, options.log))
  const serviceAccounts = await buildServiceAccountTokens(options)
  tokens.push(serviceAccounts.authenticator, ...(authentication.tokens ?? []))
  const anonymous = authentication.anonymous ? createAnonymousAuthenticator() : undefined
  const bearer = createBearerTokenAuthenticator(...tokens)
  const features = readFeatureGates(options.features?.gates ?? {}, () => {})
  const headers = requestHeaders(authentication, features)
  const builtin = [
    ...(headers === undefined ? [] : [createRequestHeaderAuthenticator(headers)]),
    createClientCertificateAuthenticator({ readUid: features.enabled('AllowParsingUserUIDFromCertAuth') }),
    bearer,
    createWebSocketTokenAuthenticator(bearer),
  ]
  const authenticator = createAuthenticatorUnion([...builtin, ...(options.authenticators ?? [])], {
    anonymous,
  })
  const tokenReviewer = createTokenReviewer({ tokens, audiences: serviceAccounts.subresource.audiences })
  return { authenticator, adminToken, serviceAccounts, tokenReviewer, requestHeaders: headers }
}

async function readTokens(file: string, log: ServerChainOptions['log']): Promise<TokenAuthenticator> {
  try {
    return await openTokenFile(file, { onWarning: (text) => log?.(0, text) })
  } catch (error) {
    throw new ConfigurationError(`the token file cannot be used: ${(error as Error).message}`, { cause: error })
  }
}
