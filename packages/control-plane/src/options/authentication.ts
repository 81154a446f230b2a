import { hasMethods, isBoolean, isNumber, isOneOf, isString, listOf, mapOf, objectOf, required } from '@keelson/apimachinery'
import type { OptionTable } from '@keelson/apimachinery'
import type { RequestHeaderOptions, ReviewVersion, TokenAuthenticator } from '@keelson/auth'
import type { CertificateFiles } from '../serving-files.ts'

/** Options for issuing and verifying service account tokens. */
export interface ServiceAccountOptions {
  /** Accepted issuers; the first one is the `iss` of new tokens. */
  readonly issuers?: readonly string[]
  /** PEM file. Default: a generated key, stored with the server's certificates. */
  readonly signingKeyFile?: string
  /** Unix socket of an external signer (`/path`, or `@name`), in place of keys in files. */
  readonly signingEndpoint?: string
  /** PEM files with public or private keys for verifying tokens. Default: the signing key. */
  readonly keyFiles?: readonly string[]
  /** Accepted audiences. Default: the issuers. */
  readonly audiences?: readonly string[]
  /** URL of the published keys. Default: at the address of this server. */
  readonly keySetUri?: string
  /** Maximum lifetime; longer requests are shortened. Default: no limit. */
  readonly maxTokenExpirationSeconds?: number
  /** Looks up the secrets and service accounts of legacy tokens, so that deleting them revokes the tokens. */
  readonly lookUpLegacyTokens?: boolean
  /** Extends pod tokens requested by kubelets to one year. */
  readonly extendTokenExpiration?: boolean
}

/**
 * Front proxies: servers that authenticate users themselves and name them in headers. Without CAs, and without `proxyClientFiles`, the
 * server makes a CA and its own proxy certificate, and reads the `X-Remote-*` headers.
 */
export interface FrontProxyOptions extends Partial<RequestHeaderOptions> {
  /** CAs for the certificates of front proxies in PEM. */
  readonly authorities?: readonly string[]
  /** PEM file with further CAs, reloaded on changes. */
  readonly authorityFile?: string
}

/** One identity provider (OpenID Connect). A configuration file can have several. */
export interface OidcOptions {
  readonly issuerUrl: string
  readonly clientId: string
  /** PEM file with the provider's CAs. Default: the runtime's. */
  readonly authorityFile?: string
  /** Default `sub`. */
  readonly usernameClaim?: string
  /** `-` for none. Default: the issuer and `#`, and none for the claim `email`. */
  readonly usernamePrefix?: string
  readonly groupsClaim?: string
  readonly groupsPrefix?: string
  /** Default RS256. */
  readonly signingAlgorithms?: readonly string[]
  /** Values that claims must have. */
  readonly requiredClaims?: Readonly<Record<string, string>>
}

/** A webhook that reviews tokens. */
export interface TokenWebhookOptions {
  readonly kubeconfigFile: string
  /** Version of TokenReview. Default v1beta1, as in kube-apiserver. */
  readonly version?: ReviewVersion
  /** Time that answers are kept, ms. 0: not at all. Default 2 minutes. */
  readonly cacheTtlMs?: number
}

/** Sources of identities. */
export interface AuthenticationOptions {
  /** File with an AuthenticationConfiguration in place of `oidc`, reloaded on changes. It may also limit anonymous access. */
  readonly configFile?: string
  readonly oidc?: OidcOptions
  readonly tokenWebhook?: TokenWebhookOptions
  /** CAs for client certificates in PEM, in addition to the server's own CA. */
  readonly clientAuthorities?: readonly string[]
  /** PEM files with further CAs, reloaded on changes. The current content also applies to open connections. */
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
  /** Treats requests without credentials as `system:anonymous`. Otherwise they get 401. */
  readonly anonymous?: boolean
}

export const authorizationModes = ['Node', 'RBAC', 'Webhook', 'ABAC', 'AlwaysAllow', 'AlwaysDeny'] as const
export type AuthorizationMode = (typeof authorizationModes)[number]

/** The webhook of the mode Webhook. */
export interface AuthorizationWebhookOptions {
  readonly kubeconfigFile: string
  /** Version of SubjectAccessReview. Default v1beta1, as in kube-apiserver. */
  readonly version?: ReviewVersion
  /** Times that answers are kept, ms. 0: not at all. */
  readonly authorizedTtlMs?: number
  readonly unauthorizedTtlMs?: number
}

/** Authorization of users who are not administrators. */
export interface AuthorizationOptions {
  /** File with an AuthorizationConfiguration in place of `modes` and `webhook`, reloaded on changes. */
  readonly configFile?: string
  /** File with the policies of the mode ABAC, one JSON object a line. */
  readonly policyFile?: string
  readonly webhook?: AuthorizationWebhookOptions
  /** In this order, after `authorizers`. The first that allows or denies decides. */
  readonly modes?: readonly AuthorizationMode[]
  /**
   * Paths that everyone may access; a trailing `*` is a wildcard. Default: none, because roles allow the probes; the probes if the groups have
   * no RBAC.
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

const strings = listOf(isString)

export const authenticationChecks: OptionTable<AuthenticationOptions> = {
  configFile: isString,
  oidc: objectOf<OidcOptions>({
    issuerUrl: required(isString),
    clientId: required(isString),
    authorityFile: isString,
    usernameClaim: isString,
    usernamePrefix: isString,
    groupsClaim: isString,
    groupsPrefix: isString,
    signingAlgorithms: strings,
    requiredClaims: mapOf(isString),
  }),
  tokenWebhook: objectOf<TokenWebhookOptions>({
    kubeconfigFile: required(isString),
    version: isOneOf('v1', 'v1beta1'),
    cacheTtlMs: isNumber(),
  }),
  clientAuthorities: strings,
  clientAuthorityFiles: strings,
  frontProxy: objectOf<FrontProxyOptions>({
    authorities: strings,
    authorityFile: isString,
    usernameHeaders: strings,
    uidHeaders: strings,
    groupHeaders: strings,
    extraHeaderPrefixes: strings,
    allowedNames: strings,
  }),
  proxyClientFiles: objectOf<CertificateFiles>({ certificateFile: required(isString), keyFile: required(isString) }),
  tokenFile: isString,
  tokens: listOf(hasMethods('authenticateToken')),
  serviceAccounts: objectOf<ServiceAccountOptions>({
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
  webhook: objectOf<AuthorizationWebhookOptions>({
    kubeconfigFile: required(isString),
    version: isOneOf('v1', 'v1beta1'),
    authorizedTtlMs: isNumber(),
    unauthorizedTtlMs: isNumber(),
  }),
  modes: listOf(isOneOf(...authorizationModes)),
  alwaysAllowPaths: strings,
}
