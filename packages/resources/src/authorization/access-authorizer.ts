import type { NonResourceRule, ResourceRule } from '@keelson/api/authorization/v1'
import type { RequestInfo, UserInfo } from '@keelson/apimachinery'

/** As the server's own requests are authorized. */
export interface AccessAuthorizer {
  authorize(attributes: { readonly user: UserInfo; readonly info: RequestInfo }): Promise<AccessDecision> | AccessDecision
}

export interface AccessDecision {
  readonly decision: 'allow' | 'deny' | 'noOpinion'
  readonly reason: string
}

/** What somebody may do in a namespace, as far as an authorizer can enumerate it. */
export interface RuleResolver {
  rulesFor(user: UserInfo, namespace: string): Promise<ResolvedRules> | ResolvedRules
}

export interface ResolvedRules {
  readonly resourceRules: readonly ResourceRule[]
  readonly nonResourceRules: readonly NonResourceRule[]
  /** There may be more than is told. */
  readonly incomplete: boolean
  readonly error?: string
}
