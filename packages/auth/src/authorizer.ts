import type { RequestInfo, UserInfo } from '@keelson/apimachinery'

export interface AuthorizerAttributes {
  readonly user: UserInfo
  readonly info: RequestInfo
}

export type Decision =
  | { readonly decision: 'allow'; readonly reason: string }
  | { readonly decision: 'deny'; readonly reason: string }
  | { readonly decision: 'noOpinion'; readonly reason: string }

export interface Authorizer {
  authorize(attributes: AuthorizerAttributes): Promise<Decision> | Decision
  /** Everything the user may do in a namespace. Absent on authorizers that can only answer one request at a time. */
  rulesFor?(user: UserInfo, namespace: string): Promise<Rules> | Rules
}

/** What a user may do. `*` stands for everything. */
export interface Rules {
  readonly resourceRules: readonly { readonly verbs: string[]; readonly apiGroups: string[]; readonly resources: string[] }[]
  readonly nonResourceRules: readonly { readonly verbs: string[]; readonly nonResourceURLs: string[] }[]
  /** The user may be allowed more than the rules say; `error` has the reason. */
  readonly incomplete: boolean
  readonly error?: string
}

/** The rules of a user to whom an authorizer allows nothing. */
export const noRules: Rules = { resourceRules: [], nonResourceRules: [], incomplete: false }

/** The answer of an authorizer that these attributes do not concern. */
export const noOpinion: Decision = { decision: 'noOpinion', reason: '' }
