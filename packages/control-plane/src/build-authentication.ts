import type { Secret } from '@keelson/api/core/v1'
import type { Delegation } from '@keelson/aggregator/extension-server'
import { mastersGroup } from '@keelson/apimachinery'
import {
  createAnonymousAuthenticator,
  createAuthenticatorUnion,
  createBearerTokenAuthenticator,
  createBootstrapTokenAuthenticator,
  createWebSocketTokenAuthenticator,
  createClientCertificateAuthenticator,
  createRequestHeaderAuthenticator,
  createStaticTokens,
  createTokenMetrics,
  createTokenReviewer,
  generateToken,
  openTokenFile,
} from '@keelson/auth'
import type { Authenticator, RequestHeaderOptions, TokenAuthenticator, TokenReviewer } from '@keelson/auth'
import type { LoopbackClient } from '@keelson/loopback'
import { buildServiceAccountTokens } from './build-service-account-tokens.ts'
import type { ServiceAccountTokens } from './build-service-account-tokens.ts'
import { ConfigurationError } from './configuration-error.ts'
import { openExternalTokens } from './external-tokens.ts'
import type { ExternalTokenParts } from './external-tokens.ts'
import { readFeatureGates } from './feature-gates.ts'
import { authenticationDefaults } from './options/authentication.ts'
import type { ServerChainOptions } from './options/server-chain-options.ts'
import { mayLookUpFrontProxies, requestHeaders, requestHeaderWarnings } from './request-headers.ts'

export interface Authentication {
  readonly authenticator: Authenticator
  /** Random bearer token of `system:masters`, created on each start. */
  readonly adminToken: string
  readonly serviceAccounts: ServiceAccountTokens
  /** Returns the headers in which front proxies send the user of a request. Undefined if no front proxy is trusted. */
  requestHeaders(): RequestHeaderOptions | undefined
  /** Reviews tokens for the TokenReview API. */
  readonly tokenReviewer: TokenReviewer
  /**
   * Sets the client for reading secrets, service accounts and other objects that tokens refer to. Tokens that refer to objects are rejected
   * until it is set.
   */
  readFrom(client: LoopbackClient): void
  close(): void
}

export interface AuthenticationParts extends Pick<ExternalTokenParts, 'metrics' | 'dialer' | 'clock'> {
  /** Set if another API server authenticates tokens and may publish the headers of front proxies. */
  readonly delegation?: Delegation | undefined
}

export async function buildAuthentication(options: ServerChainOptions, dependencies: AuthenticationParts): Promise<Authentication> {
  const { metrics, delegation } = dependencies
  const adminToken = generateToken()
  const tokens: TokenAuthenticator[] = [createStaticTokens([[adminToken, { name: 'kubernetes-admin', groups: [mastersGroup] }]])]
  const authentication = { ...authenticationDefaults, ...options.authentication }
  if (authentication.tokenFile !== undefined) tokens.push(await readTokens(authentication.tokenFile, options.log))
  const serviceAccounts = await buildServiceAccountTokens(options, { metrics: createTokenMetrics(metrics), registry: metrics })
  // The tokens of service accounts come from the API server to which this server delegates.
  if (delegation === undefined) tokens.push(...serviceAccounts.authenticators)
  let client: LoopbackClient | undefined
  if (authentication.bootstrapTokens) {
    const bootstrap = createBootstrapTokenAuthenticator({
      readSecret: async (name) => client?.resource<Secret>({ group: '', resource: 'secrets' })?.get('kube-system', name),
      ...(options.clock && { clock: options.clock }),
      onRefused: (text) => options.log?.(3, text),
    })
    tokens.push(bootstrap)
  }
  const external = await openExternalTokens(options.authentication ?? {}, {
    ...dependencies,
    audiences: serviceAccounts.subresource.audiences,
    ownIssuers: { ...authenticationDefaults.serviceAccounts, ...authentication.serviceAccounts }.issuers,
    log: (text) => options.log?.(0, text),
  })
  tokens.push(...external.authenticators, ...(authentication.tokens ?? []), ...(delegation === undefined ? [] : [delegation.tokens]))
  const paths = mayBeAnonymous(options) ? external.anonymousPaths : undefined
  const anonymous = paths === undefined ? undefined : createAnonymousAuthenticator({ paths })
  const bearer = createBearerTokenAuthenticator(...tokens)
  const features = readFeatureGates(options.features?.gates ?? {}, () => {})
  const configuredHeaders = requestHeaders(options, features)
  const readHeaders = (): RequestHeaderOptions | undefined =>
    delegation !== undefined && mayLookUpFrontProxies(options) ? delegation.published.requestHeaders : configuredHeaders
  for (const warning of requestHeaderWarnings(authentication)) options.log?.(0, warning)
  const builtin = [
    createRequestHeaderAuthenticator(readHeaders),
    createClientCertificateAuthenticator({ readUid: features.isEnabled('AllowParsingUserUIDFromCertAuth') }),
    bearer,
    createWebSocketTokenAuthenticator(bearer),
  ]
  const authenticator = createAuthenticatorUnion([...builtin, ...(options.authenticators ?? [])], {
    anonymous,
  })
  const tokenReviewer = createTokenReviewer({ tokens, audiences: serviceAccounts.subresource.audiences })
  return {
    authenticator,
    adminToken,
    serviceAccounts,
    tokenReviewer,
    requestHeaders: readHeaders,
    readFrom: (reader) => {
      client = reader
      serviceAccounts.readFrom(reader)
    },
    close: () => {
      external[Symbol.dispose]()
      serviceAccounts.close()
    },
  }
}

/** Returns whether anonymous requests are allowed. In the mode AlwaysAllow they are not, because everyone would have full access. */
function mayBeAnonymous({ authentication, authorization, log }: ServerChainOptions): boolean {
  if (authorization?.modes?.includes('AlwaysAllow') !== true || authentication?.anonymous === false) return true
  log?.(
    0,
    'AnonymousAuth is not allowed with the AlwaysAllow authorizer. Resetting AnonymousAuth to false. You should use a different authorizer',
  )
  return false
}

async function readTokens(file: string, log: ServerChainOptions['log']): Promise<TokenAuthenticator> {
  try {
    return await openTokenFile(file, { onWarning: (text) => log?.(0, text) })
  } catch (error) {
    throw new ConfigurationError(`the token file cannot be used: ${(error as Error).message}`, { cause: error })
  }
}
