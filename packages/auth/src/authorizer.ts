import type { RequestedAction, UserInfo } from '@keelson/apimachinery'

/** A user and the action to allow or deny. */
export interface AuthorizerAttributes {
  readonly user: UserInfo
  readonly action: RequestedAction
}

export type Decision =
  | { readonly decision: 'allow'; readonly reason: string }
  | { readonly decision: 'deny'; readonly reason: string }
  | { readonly decision: 'noOpinion'; readonly reason: string }

export interface Authorizer {
  authorize(attributes: AuthorizerAttributes): Promise<Decision> | Decision
  /** Lists everything the user may do in a namespace. Absent on authorizers that can only decide single requests. */
  rulesFor?(user: UserInfo, namespace: string): Promise<Rules> | Rules
}

/** The permissions of a user. `*` matches everything. */
export interface Rules {
  readonly resourceRules: readonly { readonly verbs: string[]; readonly apiGroups: string[]; readonly resources: string[] }[]
  readonly nonResourceRules: readonly { readonly verbs: string[]; readonly nonResourceURLs: string[] }[]
  /** True if the user may have more permissions than listed; `error` has the reason. */
  readonly incomplete: boolean
  readonly error?: string
}

/** The rules of an authorizer that grants the user nothing. */
export const noRules: Rules = { resourceRules: [], nonResourceRules: [], incomplete: false }

/** The decision of an authorizer that does not handle these attributes. */
export const noOpinion: Decision = { decision: 'noOpinion', reason: '' }
