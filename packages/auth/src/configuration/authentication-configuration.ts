import { configurationStruct, decodeConfiguration, listOfStructs } from './decode-configuration.ts'

/** A claim, or an expression over all claims. */
export interface ClaimOrExpression {
  readonly claim?: string
  readonly expression?: string
}

export interface PrefixedClaimOrExpression extends ClaimOrExpression {
  /** Required with a claim. "" adds nothing. */
  readonly prefix?: string
}

export interface IssuerConfiguration {
  readonly url?: string
  /** Replaces the URL of the discovery document. */
  readonly discoveryURL?: string
  /** PEM. Default: the runtime's authorities. */
  readonly certificateAuthority?: string
  readonly audiences?: readonly string[]
  readonly audienceMatchPolicy?: string
  readonly egressSelectorType?: string
}

export interface ClaimValidationRule {
  readonly claim?: string
  readonly requiredValue?: string
  readonly expression?: string
  readonly message?: string
}

export interface ClaimMappings {
  readonly username?: PrefixedClaimOrExpression
  readonly groups?: PrefixedClaimOrExpression
  readonly uid?: ClaimOrExpression
  readonly extra?: readonly { readonly key?: string; readonly valueExpression?: string }[]
}

/** An issuer of tokens, and how its claims become users. */
export interface JwtConfiguration {
  readonly issuer?: IssuerConfiguration
  readonly claimValidationRules?: readonly ClaimValidationRule[]
  readonly claimMappings?: ClaimMappings
  readonly userValidationRules?: readonly { readonly expression?: string; readonly message?: string }[]
}

export interface AnonymousConfiguration {
  readonly enabled?: boolean
  /** Paths with anonymous access. Absent: all. */
  readonly conditions?: readonly { readonly path?: string }[]
}

/** The content of `--authentication-config`. */
export interface AuthenticationConfiguration {
  readonly jwt?: readonly JwtConfiguration[]
  readonly anonymous?: AnonymousConfiguration
}

const claimOrExpression = { claim: 'string', expression: 'string' } as const

const prefixed = configurationStruct('PrefixedClaimOrExpression', { ...claimOrExpression, prefix: 'string' })

const schema = configurationStruct('AuthenticationConfiguration', {
  jwt: listOfStructs(
    configurationStruct('JWTAuthenticator', {
      issuer: configurationStruct('Issuer', {
        url: 'string',
        discoveryURL: 'string',
        certificateAuthority: 'string',
        audiences: { kind: 'list', items: { kind: 'string' } },
        audienceMatchPolicy: 'string',
        egressSelectorType: 'string',
      }),
      claimValidationRules: listOfStructs(
        configurationStruct('ClaimValidationRule', { ...claimOrExpression, requiredValue: 'string', message: 'string' }),
      ),
      claimMappings: configurationStruct('ClaimMappings', {
        username: prefixed,
        groups: prefixed,
        uid: configurationStruct('ClaimOrExpression', claimOrExpression),
        extra: listOfStructs(configurationStruct('ExtraMapping', { key: 'string', valueExpression: 'string' })),
      }),
      userValidationRules: listOfStructs(configurationStruct('UserValidationRule', { expression: 'string', message: 'string' })),
    }),
  ),
  anonymous: configurationStruct('AnonymousAuthConfig', {
    enabled: 'bool',
    conditions: listOfStructs(configurationStruct('AnonymousAuthCondition', { path: 'string' })),
  }),
})

/** Decodes the file strictly. Throws an error with kube-apiserver's words. */
export function parseAuthenticationConfiguration(text: string): AuthenticationConfiguration {
  if (text === '') throw new Error('empty config data')
  return decodeConfiguration(text, schema)
}
