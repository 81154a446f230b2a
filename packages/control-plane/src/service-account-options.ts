/** How service accounts' tokens are made and recognised. */
export interface ServiceAccountOptions {
  /** The first is the `iss` of new tokens; tokens of all are accepted. Default https://kubernetes.default.svc. */
  readonly issuers?: readonly string[]
  /** PEM. Default: a key that the server makes and keeps with its certificates. */
  readonly signingKeyFile?: string
  /** PEM, public or private; tokens signed by any of them are accepted. Default: the signing key. */
  readonly keyFiles?: readonly string[]
  /** Whom tokens must be meant for. Default: the issuers. */
  readonly audiences?: readonly string[]
  /** Where the published keys are found. Default: at the server's own address. */
  readonly keySetUri?: string
  /** Longer requests are cut to this. Default: no limit. */
  readonly maxTokenExpirationSeconds?: number
  /** Default true: the tokens that kubelets ask for on behalf of pods live a year. */
  readonly extendTokenExpiration?: boolean
}
