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
  /** `error` says why an authorizer could not decide. A request that nobody allows then gets a 500 instead of a 403. */
  | { readonly decision: 'noOpinion'; readonly reason: string; readonly error?: string }

export interface Authorizer {
  /** Synchronous if the decision is at hand: a promise costs every request a turn of the event loop. */
  authorize(attributes: AuthorizerAttributes): Promise<Decision> | Decision
  /** Lists everything the user may do in a namespace. Absent on authorizers that can only decide single requests. */
  rulesFor?(user: UserInfo, namespace: string): Promise<Rules> | Rules
}

/** Clients of the server whose objects authorizers read. */
export interface ObjectSources {
  readonly client: LoopbackClient
  readonly informers: SharedInformers
}

/** An authorizer that decides from objects of its own server. */
export interface InformedAuthorizer extends Authorizer {
  /** Starts following the objects. Called once, when the resources are installed; the authorizer has no opinion before. */
  readFrom(sources: ObjectSources): void
}

/** The permissions of a user. `*` matches everything. */
export interface Rules {
  readonly resourceRules: readonly {
    readonly verbs: string[]
    readonly apiGroups: string[]
    readonly resources: string[]
    /** Absent or empty: all names. */
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

/** Always decides the same: the modes AlwaysAllow and AlwaysDeny. */
export function createConstantAuthorizer(decision: Decision): Authorizer {
  const all = decision.decision === 'allow'
  const rules: Rules = {
    resourceRules: all ? [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }] : [],
    nonResourceRules: all ? [{ verbs: ['*'], nonResourceURLs: ['*'] }] : [],
    incomplete: false,
  }
  return { authorize: () => decision, rulesFor: () => rules }
}
