import type { RequestedAction, UserInfo } from '@keelson/apimachinery'
import type { LoopbackClient, SharedInformers } from '@keelson/loopback'

/** A user and the action to allow or deny. */
export interface AuthorizerAttributes {
  readonly user: UserInfo
  readonly action: RequestedAction
}

export type Decision =
  | { readonly decision: 'allow'; readonly reason: string; readonly error?: string }
  | { readonly decision: 'deny'; readonly reason: string; readonly error?: string }
  /**
   * The authorizer neither allows nor denies. `error` is the reason for which it could not decide. A request that no authorizer allows then
   * gets a 500 instead of a 403.
   */
  | { readonly decision: 'noOpinion'; readonly reason: string; readonly error?: string }

export interface Authorizer {
  /**
   * Decides whether to allow the action. Implementations should return a promise only if they must wait, because each promise costs a turn
   * of the event loop.
   */
  authorize(attributes: AuthorizerAttributes): Promise<Decision> | Decision
  /** Lists everything the user may do in a namespace. Absent on authorizers that can only decide single requests. */
  rulesFor?(user: UserInfo, namespace: string): Promise<Rules> | Rules
}

/** Access to the server's own objects, for authorizers that decide from them. */
export interface ObjectSources {
  readonly client: LoopbackClient
  readonly informers: SharedInformers
}

/** An authorizer that decides from objects of its own server. */
export interface InformedAuthorizer extends Authorizer {
  /** Starts watching the objects. Called once, after the resources are installed. Until then, the authorizer has no opinion. */
  readFrom(sources: ObjectSources): void
}

/** The permissions of a user. `*` matches everything. */
export interface Rules {
  readonly resourceRules: readonly {
    readonly verbs: string[]
    readonly apiGroups: string[]
    readonly resources: string[]
    /** Names of the objects that the rule covers. Absent or empty: all names. */
    readonly resourceNames?: string[]
  }[]
  readonly nonResourceRules: readonly { readonly verbs: string[]; readonly nonResourceURLs: string[] }[]
  /** True if the user may have more permissions than listed; `error` has the reason. */
  readonly incomplete: boolean
  readonly error?: string
}

/** The rules of an authorizer that grants the user nothing. */
export const noRules: Rules = { resourceRules: [], nonResourceRules: [], incomplete: false }

/** The decision of an authorizer that does not handle these attributes. */
export const noOpinion: Decision = { decision: 'noOpinion', reason: '' }

/** Creates an authorizer that always returns the same decision. The modes AlwaysAllow and AlwaysDeny use it. */
export function createConstantAuthorizer(decision: Decision): Authorizer {
  const isAllowed = decision.decision === 'allow'
  const rules: Rules = {
    resourceRules: isAllowed ? [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }] : [],
    nonResourceRules: isAllowed ? [{ verbs: ['*'], nonResourceURLs: ['*'] }] : [],
    incomplete: false,
  }
  return { authorize: () => decision, rulesFor: () => rules }
}
