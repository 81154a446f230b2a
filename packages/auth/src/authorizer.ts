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
}

/** The answer of an authorizer that these attributes do not concern. */
export const noOpinion: Decision = { decision: 'noOpinion', reason: '' }
