import { decodeConfiguration, defineConfigurationStruct, defineListOfStructs } from '@keelson/apimachinery/configuration'

/** A claim, or an expression over all claims. */
export interface ClaimOrExpression {
  readonly claim?: string
  readonly expression?: string
}

export interface PrefixedClaimOrExpression extends ClaimOrExpression {
  /** Prefix of the value. Required if `claim` is set. "" adds no prefix. */
  readonly prefix?: string
}

export interface IssuerConfiguration {
  readonly url?: string
  /** URL of the discovery document. Default: derived from `url`. */
  readonly discoveryURL?: string
  /** CA certificates of the issuer, in PEM. Default: the root certificates of the JavaScript runtime. */
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
  /** Paths that allow anonymous access. Absent: all paths. */
  readonly conditions?: readonly { readonly path?: string }[]
}

/** The content of `--authentication-config`. */
export interface AuthenticationConfiguration {
  readonly jwt?: readonly JwtConfiguration[]
  readonly anonymous?: AnonymousConfiguration
}

const claimOrExpression = { claim: 'string', expression: 'string' } as const

const prefixed = defineConfigurationStruct('PrefixedClaimOrExpression', { ...claimOrExpression, prefix: 'string' })

/** Values of apiVersion that kube-apiserver accepts for this kind. */
const apiVersions = ['apiserver.config.k8s.io/v1', 'apiserver.config.k8s.io/v1beta1', 'apiserver.config.k8s.io/v1alpha1']

const schema = defineConfigurationStruct('AuthenticationConfiguration', {
  jwt: defineListOfStructs(
    defineConfigurationStruct('JWTAuthenticator', {
      issuer: defineConfigurationStruct('Issuer', {
        url: 'string',
        discoveryURL: 'string',
        certificateAuthority: 'string',
        audiences: { kind: 'list', items: { kind: 'string' } },
        audienceMatchPolicy: 'string',
        egressSelectorType: 'string',
      }),
      claimValidationRules: defineListOfStructs(
        defineConfigurationStruct('ClaimValidationRule', { ...claimOrExpression, requiredValue: 'string', message: 'string' }),
      ),
      claimMappings: defineConfigurationStruct('ClaimMappings', {
        username: prefixed,
        groups: prefixed,
        uid: defineConfigurationStruct('ClaimOrExpression', claimOrExpression),
        extra: defineListOfStructs(defineConfigurationStruct('ExtraMapping', { key: 'string', valueExpression: 'string' })),
      }),
      userValidationRules: defineListOfStructs(
        defineConfigurationStruct('UserValidationRule', { expression: 'string', message: 'string' }),
      ),
    }),
  ),
  anonymous: defineConfigurationStruct('AnonymousAuthConfig', {
    enabled: 'bool',
    conditions: defineListOfStructs(defineConfigurationStruct('AnonymousAuthCondition', { path: 'string' })),
  }),
})

/** Decodes an AuthenticationConfiguration strictly. Throws an error with kube-apiserver's message. */
export function parseAuthenticationConfiguration(text: string): AuthenticationConfiguration {
  if (text === '') throw new Error('empty config data')
  return decodeConfiguration(text, { schema, apiVersions })
}
