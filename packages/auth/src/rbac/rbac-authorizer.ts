import type { PolicyRule } from '@keelson/api/rbac/v1'
import type { DeepReadonly, RequestedAction, UserInfo } from '@keelson/apimachinery'
import { noOpinion } from '../authorizer.ts'
import type { Authorizer, AuthorizerAttributes, Decision, Rules } from '../authorizer.ts'
import type { Grant, GrantTable, SubjectGrants } from './grants.ts'
import type { RbacPolicy } from './rbac-policy.ts'
import type { RoleSlot } from './role-table.ts'

/** Maximum number of missing roles that a decision names. */
const maxErrors = 100

/**
 * Authorizes by RBAC roles and bindings. Cluster role bindings are checked first, then the bindings of the namespace. Rules only add
 * permissions, so the order of bindings affects the reason but never the decision.
 */
export class RbacAuthorizer implements Authorizer {
  readonly #policy: RbacPolicy
  /** Serial number of the current decision. A role stores it in `refusedIn`, so that each role is evaluated once per decision. */
  #serial = 0

  constructor(policy: RbacPolicy) {
    this.#policy = policy
  }

  authorize({ user, action }: AuthorizerAttributes): Decision {
    this.#serial++
    const { cluster } = this.#policy
    const allowed = this.#search(cluster, user, action)
    if (allowed !== undefined) return allowed.decisionFor(user)
    const namespaced = action.namespace === '' ? undefined : this.#policy.namespace(action.namespace)
    if (namespaced !== undefined) {
      const grant = this.#search(namespaced, user, action)
      if (grant !== undefined) return grant.decisionFor(user)
    }
    return this.#hasMissingRoles(cluster, user) || this.#hasMissingRoles(namespaced, user)
      ? { decision: 'noOpinion', reason: `RBAC: ${printMissing(this.#policy.listRules(user, action.namespace).missing)}` }
      : noOpinion
  }

  rulesFor(user: UserInfo, namespace: string): Rules {
    const { rules, missing } = this.#policy.listRules(user, namespace)
    return {
      resourceRules: rules.filter(({ resources = [] }) => resources.length > 0).map(toResourceRule),
      nonResourceRules: rules
        .filter(({ nonResourceURLs = [] }) => nonResourceURLs.length > 0)
        .map(({ verbs, nonResourceURLs = [] }) => ({ verbs: [...(verbs ?? [])], nonResourceURLs: [...nonResourceURLs] })),
      incomplete: false,
      ...(missing.length > 0 && { error: printMissing(missing) }),
    }
  }

  #search(table: GrantTable, user: UserInfo, action: RequestedAction): Grant | undefined {
    const userGrant = this.#findAllowingGrant(table.ofUser(user.name), action)
    if (userGrant !== undefined) return userGrant
    const { groups } = user
    for (let i = 0; i < groups.length; i++) {
      const grant = this.#findAllowingGrant(table.ofGroup(groups[i]!), action)
      if (grant !== undefined) return grant
    }
    return undefined
  }

  #findAllowingGrant(subject: SubjectGrants | undefined, action: RequestedAction): Grant | undefined {
    if (subject === undefined) return undefined
    const grants = subject.relevantTo(action, this.#policy.rolesVersion)
    for (let i = 0; i < grants.length; i++) {
      const { role } = grants[i]!
      if (role.refusedIn === this.#serial) continue
      if (role.index?.allows(action) === true) return grants[i]
      role.refusedIn = this.#serial
    }
    return undefined
  }

  #hasMissingRoles(table: GrantTable | undefined, { name, groups }: UserInfo): boolean {
    if (table === undefined) return false
    if (hasMissingRole(table.ofUser(name))) return true
    for (let i = 0; i < groups.length; i++) if (hasMissingRole(table.ofGroup(groups[i]!))) return true
    return false
  }
}

function hasMissingRole(subject: SubjectGrants | undefined): boolean {
  if (subject === undefined) return false
  const grants = subject.all
  for (let i = 0; i < grants.length; i++) if (grants[i]!.role.rules === undefined) return true
  return false
}

function toResourceRule({
  verbs,
  apiGroups = [],
  resources = [],
  resourceNames,
}: DeepReadonly<PolicyRule>): Rules['resourceRules'][number] {
  return {
    verbs: [...(verbs ?? [])],
    apiGroups: [...apiGroups],
    resources: [...resources],
    ...(resourceNames !== undefined && { resourceNames: [...resourceNames] }),
  }
}

/** Formats missing roles like kube-apiserver: one error as it is, several as `[a, b]`. */
function printMissing(missing: readonly RoleSlot[]): string {
  const errors = [...new Set(missing)].slice(0, maxErrors).map(({ problem }) => problem)
  return errors.length === 1 ? errors[0]! : `[${errors.join(', ')}]`
}
