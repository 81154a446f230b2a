import { hasMethods, isBoolean, isNumber, isString, listOf, objectOf } from '@keelson/apimachinery'
import type { OptionTable } from '@keelson/apimachinery'
import type { TokenAuthenticator } from '@keelson/auth'

/** Signing and verification of service account tokens. */
export interface ServiceAccountOptions {
  /** The first is the `iss` of new tokens; tokens of all are accepted. */
  readonly issuers?: readonly string[]
  /** PEM. Default: a key that the server makes and keeps with its certificates. */
  readonly signingKeyFile?: string
  /** PEM, public or private; tokens signed by any of them are accepted. Default: the signing key. */
  readonly keyFiles?: readonly string[]
  /** Accepted audiences. Default: the issuers. */
  readonly audiences?: readonly string[]
  /** URL of the published keys. Default: at the server's own address. */
  readonly keySetUri?: string
  /** Longer requests are cut to this. Default: no limit. */
  readonly maxTokenExpirationSeconds?: number
  /** Tokens that kubelets request for pods live a year. */
  readonly extendTokenExpiration?: boolean
}

/** Sources of identities. */
export interface AuthenticationOptions {
  /** PEM, in addition to the server's own authority. */
  readonly clientAuthorities?: readonly string[]
  /** PEM files of further ones, followed: client certificates, those of open connections too, are checked against their current content. */
  readonly clientAuthorityFiles?: readonly string[]
  readonly tokenFile?: string
  /** Further sources of bearer tokens. */
  readonly tokens?: readonly TokenAuthenticator[]
  readonly serviceAccounts?: ServiceAccountOptions
  /** Requests without credentials are `system:anonymous`; otherwise they get 401. */
  readonly anonymous?: boolean
}

/** Rules besides the administrators' permission for everything. */
export interface AuthorizationOptions {
  /** Paths that need no permission; a trailing `*` matches any rest. */
  readonly alwaysAllowPaths?: readonly string[]
}

export const authenticationDefaults = {
  anonymous: true,
  serviceAccounts: { issuers: ['https://kubernetes.default.svc'], extendTokenExpiration: true },
} as const
export const authorizationDefaults = { alwaysAllowPaths: ['/healthz', '/readyz', '/livez'] } as const

const strings = listOf(isString)

export const authenticationChecks: OptionTable<AuthenticationOptions> = {
  clientAuthorities: strings,
  clientAuthorityFiles: strings,
  tokenFile: isString,
  tokens: listOf(hasMethods('authenticateToken')),
  serviceAccounts: objectOf<ServiceAccountOptions>({
    issuers: strings,
    signingKeyFile: isString,
    keyFiles: strings,
    audiences: strings,
    keySetUri: isString,
    maxTokenExpirationSeconds: isNumber(),
    extendTokenExpiration: isBoolean,
  }),
  anonymous: isBoolean,
}

export const authorizationChecks: OptionTable<AuthorizationOptions> = { alwaysAllowPaths: strings }
