/** How much an event contains, in ascending order. */
export const auditLevels = ['None', 'Metadata', 'Request', 'RequestResponse'] as const
export type AuditLevel = (typeof auditLevels)[number]

/** The points in the life of a request at which events are recorded. */
export const auditStages = ['RequestReceived', 'ResponseStarted', 'ResponseComplete', 'Panic'] as const
export type AuditStage = (typeof auditStages)[number]

/** Resources of a group that a rule matches. */
export interface GroupResources {
  readonly group?: string
  /** Resources such as `pods`, `pods/log`, `pods/*`, those of one subresource (an asterisk before its name), and all (`*`). Default: all. */
  readonly resources?: readonly string[]
  readonly resourceNames?: readonly string[]
}

/** A rule of an audit policy. A request matches if it matches all members that are set. */
export interface PolicyRule {
  readonly level: AuditLevel
  readonly users?: readonly string[]
  readonly userGroups?: readonly string[]
  readonly verbs?: readonly string[]
  readonly resources?: readonly GroupResources[]
  /** Namespaces of objects; "" for cluster-scoped objects. */
  readonly namespaces?: readonly string[]
  readonly nonResourceURLs?: readonly string[]
  /** Stages without events, in addition to those of the policy. */
  readonly omitStages?: readonly AuditStage[]
  readonly omitManagedFields?: boolean
}

/** A Policy of `audit.k8s.io/v1`. The first rule that matches a request decides. Requests that match no rule are not recorded. */
export interface AuditPolicy {
  readonly rules: readonly PolicyRule[]
  readonly omitStages?: readonly AuditStage[]
  readonly omitManagedFields?: boolean
}
