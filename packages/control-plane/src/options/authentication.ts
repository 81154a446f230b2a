import { hasMethods, isBoolean, isNumber, isOneOf, isString, isListOf, isMapOf, isObjectOf, requireOption } from '@keelson/apimachinery'
import type { OptionTable } from '@keelson/apimachinery'
import type { RequestHeaderOptions, ReviewVersion, TokenAuthenticator } from '@keelson/auth'
import type { CertificateFiles } from '../serving-files.ts'

/** Options for issuing and verifying service account tokens. */
export interface ServiceAccountOptions {
  /** Accepted issuers of service account tokens. The first one is the `iss` claim of new tokens. */
  readonly issuers?: readonly string[]
  /** PEM file with the key that signs tokens. Default: a generated key that is stored with the server's certificates. */
  readonly signingKeyFile?: string
  /** Unix socket of an external signer, which replaces the key files: `/path`, or `@name` for an abstract socket. */
  readonly signingEndpoint?: string
  /** PEM files with public or private keys for verifying tokens. Default: the signing key. */
  readonly keyFiles?: readonly string[]
  /** Accepted audiences of service account tokens. Default: the issuers. */
  readonly audiences?: readonly string[]
  /** URL of the published keys (`jwks_uri`). Default: a URL at the address of this server. */
  readonly keySetUri?: string
  /** Maximum lifetime of issued tokens in seconds. Requests for a longer lifetime get this one. Default: no limit. */
  readonly maxTokenExpirationSeconds?: number
  /** Checks that the secret and the service account of a legacy token still exist. Deleting one of them then revokes the token. */
  readonly lookUpLegacyTokens?: boolean
  /** Issues tokens that kubelets request for pods with a lifetime of one year. */
  readonly extendTokenExpiration?: boolean
}

/**
 * Front proxies: servers that authenticate users themselves and send their names in headers. If neither CAs nor `proxyClientFiles` are set,
 * the server generates a CA and its own proxy certificate, and reads the `X-Remote-*` headers.
 */
export interface FrontProxyOptions extends Partial<RequestHeaderOptions> {
  /** CAs of the front proxies' client certificates, in PEM. */
  readonly authorities?: readonly string[]
  /** PEM file with additional CAs of front proxies. Reloaded on changes. */
  readonly authorityFile?: string
}

/** One identity provider (OpenID Connect). A configuration file can have several. */
export interface OidcOptions {
  readonly issuerUrl: string
  readonly clientId: string
  /** PEM file with the CAs of the provider. Default: the CAs of Node.js. */
  readonly authorityFile?: string
  /** Claim that contains the user name. Default: `sub`. */
  readonly usernameClaim?: string
  /** Prefix of user names; `-` means no prefix. Default: the issuer and `#`, but no prefix if the claim is `email`. */
  readonly usernamePrefix?: string
  readonly groupsClaim?: string
  readonly groupsPrefix?: string
  /** Accepted signature algorithms. Default: RS256. */
  readonly signingAlgorithms?: readonly string[]
  /** Claims that a token must have, with their values. */
  readonly requiredClaims?: Readonly<Record<string, string>>
}

/** A webhook that authenticates bearer tokens. */
export interface TokenWebhookOptions {
  readonly kubeconfigFile: string
  /** API version of the TokenReview objects that are sent. Default: v1beta1, as in kube-apiserver. */
  readonly version?: ReviewVersion
  /** How long responses of the webhook are cached, in milliseconds. 0 disables caching. Default: 2 minutes. */
  readonly cacheTtlMs?: number
}

/** Options for authenticating requests. */
export interface AuthenticationOptions {
  /** AuthenticationConfiguration file, which replaces `oidc`. Reloaded on changes. The file can also restrict anonymous access. */
  readonly configFile?: string
  readonly oidc?: OidcOptions
  readonly tokenWebhook?: TokenWebhookOptions
  /** CAs of client certificates in PEM, in addition to the server's own CA. */
  readonly clientAuthorities?: readonly string[]
  /**
   * PEM files with additional CAs of client certificates. Reloaded on changes; connections that are already open are checked against the
   * current CAs too.
   */
  readonly clientAuthorityFiles?: readonly string[]
  readonly frontProxy?: FrontProxyOptions
  /** PEM files of the client certificate with which this server forwards requests to other API servers, reloaded on changes. */
  readonly proxyClientFiles?: CertificateFiles
  readonly tokenFile?: string
  /** Additional authenticators of bearer tokens. */
  readonly tokens?: readonly TokenAuthenticator[]
  readonly serviceAccounts?: ServiceAccountOptions
  /** Accepts the tokens of secrets of type `bootstrap.kubernetes.io/token` in `kube-system`. */
  readonly bootstrapTokens?: boolean
  /** Treats requests without credentials as `system:anonymous`. If false, they get 401. */
  readonly anonymous?: boolean
}

export const authorizationModes = ['Node', 'RBAC', 'Webhook', 'ABAC', 'AlwaysAllow', 'AlwaysDeny'] as const
export type AuthorizationMode = (typeof authorizationModes)[number]

/** Webhook of the authorization mode Webhook. */
export interface AuthorizationWebhookOptions {
  readonly kubeconfigFile: string
  /** API version of the SubjectAccessReview objects that are sent. Default: v1beta1, as in kube-apiserver. */
  readonly version?: ReviewVersion
  /** How long "allowed" decisions of the webhook are cached, in milliseconds. 0 disables caching. */
  readonly authorizedTtlMs?: number
  readonly unauthorizedTtlMs?: number
}

/** Authorization of users who are not in `system:masters`. */
export interface AuthorizationOptions {
  /** AuthorizationConfiguration file, which replaces `modes` and `webhook`. Reloaded on changes. */
  readonly configFile?: string
  /** Policy file of the mode ABAC, with one JSON object per line. */
  readonly policyFile?: string
  readonly webhook?: AuthorizationWebhookOptions
  /**
   * Authorization modes in the order in which they are asked, after `authorizers`. The first one that allows or denies a request decides.
   */
  readonly modes?: readonly AuthorizationMode[]
  /**
   * Paths that every user may request. A trailing `*` is a wildcard. Default: none, because built-in roles allow the health checks; if the
   * RBAC group is not served, the paths of the health checks.
   */
  readonly alwaysAllowPaths?: readonly string[]
}

export const authenticationDefaults = {
  anonymous: true,
  serviceAccounts: { issuers: ['https://kubernetes.default.svc'], extendTokenExpiration: true, lookUpLegacyTokens: true },
  bootstrapTokens: false,
} as const
export const authorizationDefaults = {
  modes: ['Node', 'RBAC'],
} as const

const strings = isListOf(isString)

export const authenticationChecks: OptionTable<AuthenticationOptions> = {
  configFile: isString,
  oidc: isObjectOf<OidcOptions>({
    issuerUrl: requireOption(isString),
    clientId: requireOption(isString),
    authorityFile: isString,
    usernameClaim: isString,
    usernamePrefix: isString,
    groupsClaim: isString,
    groupsPrefix: isString,
    signingAlgorithms: strings,
    requiredClaims: isMapOf(isString),
  }),
  tokenWebhook: isObjectOf<TokenWebhookOptions>({
    kubeconfigFile: requireOption(isString),
    version: isOneOf('v1', 'v1beta1'),
    cacheTtlMs: isNumber(),
  }),
  clientAuthorities: strings,
  clientAuthorityFiles: strings,
  frontProxy: isObjectOf<FrontProxyOptions>({
    authorities: strings,
    authorityFile: isString,
    usernameHeaders: strings,
    uidHeaders: strings,
    groupHeaders: strings,
    extraHeaderPrefixes: strings,
    allowedNames: strings,
  }),
  proxyClientFiles: isObjectOf<CertificateFiles>({ certificateFile: requireOption(isString), keyFile: requireOption(isString) }),
  tokenFile: isString,
  tokens: isListOf(hasMethods('authenticateToken')),
  serviceAccounts: isObjectOf<ServiceAccountOptions>({
    issuers: strings,
    signingKeyFile: isString,
    signingEndpoint: isString,
    keyFiles: strings,
    audiences: strings,
    keySetUri: isString,
    maxTokenExpirationSeconds: isNumber(),
    lookUpLegacyTokens: isBoolean,
    extendTokenExpiration: isBoolean,
  }),
  bootstrapTokens: isBoolean,
  anonymous: isBoolean,
}

export const authorizationChecks: OptionTable<AuthorizationOptions> = {
  configFile: isString,
  policyFile: isString,
  webhook: isObjectOf<AuthorizationWebhookOptions>({
    kubeconfigFile: requireOption(isString),
    version: isOneOf('v1', 'v1beta1'),
    authorizedTtlMs: isNumber(),
    unauthorizedTtlMs: isNumber(),
  }),
  modes: isListOf(isOneOf(...authorizationModes)),
  alwaysAllowPaths: strings,
}
