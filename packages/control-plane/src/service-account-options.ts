/** Options for issuing and verifying service account tokens. */
export interface ServiceAccountOptions {
  /** Accepted issuers; the first one is the `iss` of new tokens. Default https://kubernetes.default.svc. */
  readonly issuers?: readonly string[]
  /** PEM file. Default: a generated key, stored with the server's certificates. */
  readonly signingKeyFile?: string
  /** PEM files with public or private keys for verifying tokens. Default: the signing key. */
  readonly keyFiles?: readonly string[]
  /** Accepted audiences. Default: the issuers. */
  readonly audiences?: readonly string[]
  /** URI of the published keys. Default: at the address of this server. */
  readonly keySetUri?: string
  /** Maximum lifetime; longer requests are shortened. Default: no limit. */
  readonly maxTokenExpirationSeconds?: number
  /** Extends pod tokens requested by kubelets to one year. Default true. */
  readonly extendTokenExpiration?: boolean
}
