import type { NonResourceRule, ResourceRule } from '@keelson/api/authorization/v1'
import type { RequestedAction, UserInfo } from '@keelson/apimachinery'

/** Authorizes the request that an access review describes, with the same rules as a real request. */
export interface AccessAuthorizer {
  authorize(attributes: { readonly user: UserInfo; readonly action: RequestedAction }): Promise<AccessDecision> | AccessDecision
}

export interface AccessDecision {
  readonly decision: 'allow' | 'deny' | 'noOpinion'
  readonly reason: string
  /** The error of an authorizer that could not decide. */
  readonly error?: string
}

/** Lists the rules that apply to a user in a namespace, as far as the authorizer can enumerate them. */
export interface RuleResolver {
  rulesFor(user: UserInfo, namespace: string): Promise<ResolvedRules> | ResolvedRules
}

export interface ResolvedRules {
  readonly resourceRules: readonly ResourceRule[]
  readonly nonResourceRules: readonly NonResourceRule[]
  /** True if further rules may apply. */
  readonly incomplete: boolean
  readonly error?: string
}
