import type { ClusterRole, PolicyRule, Role, RoleRef } from '@keelson/api/rbac/v1'
import { mastersGroup, newForbidden, newNotFound, quote, equalsSemantically } from '@keelson/apimachinery'
import type { ApiError, DeepReadonly, KubeObject, RequestContext, UserInfo } from '@keelson/apimachinery'
import type { StoreHooks } from '@keelson/registry'
import type { Binding } from './bindings.ts'
import { describeRules, findMissingRules, quoteAll } from './rule-coverage.ts'

const group = 'rbac.authorization.k8s.io'
const allRules: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
]

/** Access to the caller's rules and permissions, with which writes of roles and bindings are checked. */
export interface RoleAuthority {
  /** Returns whether the caller has this verb on the role. If so, the caller need not hold its rules. */
  allows(context: RequestContext, verb: 'escalate' | 'bind', role: RoleName): Promise<boolean>
  /** Lists the rules that apply to a user in a namespace ("" for cluster role bindings only). */
  listUserRules(user: UserInfo, namespace: string): UserRules
  /** Returns the rules of a role; undefined if the role does not exist. `namespace` is that of the binding. */
  listRoleRules(role: DeepReadonly<RoleRef>, namespace: string): Promise<readonly DeepReadonly<PolicyRule>[] | undefined>
}

export interface UserRules {
  readonly rules: readonly DeepReadonly<PolicyRule>[]
  /** Roles that the user's bindings refer to but that do not exist. */
  readonly missing: readonly { readonly name: string }[]
}

export interface RoleName {
  readonly group: string
  readonly resource: 'roles' | 'clusterroles'
  readonly name: string
  readonly namespace: string
}

/** The services that the group uses. */
export interface RoleServices {
  readonly roleAuthority: RoleAuthority
}

/** Creates hooks for roles and cluster roles. The writer must hold every rule of the role, or have the verb "escalate". */
export function createRoleHooks(authority: RoleAuthority, resource: 'roles' | 'clusterroles'): StoreHooks<Role | ClusterRole> {
  async function check(
    context: RequestContext,
    role: Role | ClusterRole,
    old: DeepReadonly<Role | ClusterRole> | undefined,
  ): Promise<void> {
    const { namespace, user, attributes } = context
    if (
      user.groups.includes(mastersGroup) ||
      (await authority.allows(context, 'escalate', { group, resource, name: attributes.name, namespace }))
    )
      return
    if (old !== undefined && hasOnlyOwnershipChanges(role, old)) return
    const refuse = (message: string | undefined): void => {
      if (message !== undefined) throw newForbidden({ group, resource }, role.metadata.name ?? '', message)
    }
    refuse(await explainMissing(authority, context, role.rules ?? []))
    if (!isAggregated(role) && !isAggregated(old)) return
    const missing = await explainMissing(authority, context, allRules)
    refuse(missing && 'must have cluster-admin privileges to use the aggregationRule')
  }
  return { check }
}

/** Creates hooks for both kinds of bindings. The writer must hold every rule of the bound role, or have the verb "bind" on the role. */
export function createBindingHooks(authority: RoleAuthority, resource: 'rolebindings' | 'clusterrolebindings'): StoreHooks<Binding> {
  async function check(context: RequestContext, binding: Binding, old: DeepReadonly<Binding> | undefined): Promise<void> {
    const { user, namespace } = context
    if (user.groups.includes(mastersGroup) || (old !== undefined && hasOnlyOwnershipChanges(binding, old))) return
    const { roleRef, metadata } = binding
    const kinds: Readonly<Record<string, RoleName['resource']>> = { Role: 'roles', ClusterRole: 'clusterroles' }
    const bound = kinds[roleRef.kind]
    const isBindable =
      bound !== undefined &&
      (await authority.allows(context, 'bind', { group: roleRef.apiGroup, resource: bound, name: roleRef.name, namespace }))
    if (isBindable) return
    const rules = await authority.listRoleRules(roleRef, namespace)
    if (rules === undefined) throw createMissingRoleError(context, roleRef.name)
    const message = await explainMissing(authority, context, rules)
    if (message !== undefined) throw newForbidden({ group, resource }, metadata.name ?? '', message)
  }
  return { check }
}

/** Returns an error message if the caller lacks some of the rules; undefined if not. */
async function explainMissing(
  authority: RoleAuthority,
  context: RequestContext,
  rules: readonly DeepReadonly<PolicyRule>[],
): Promise<string | undefined> {
  const { user, namespace } = context
  const held = authority.listUserRules(user, namespace)
  const missing = await findMissingRules(held.rules, rules)
  if (missing.length === 0) return undefined
  const caller = `user ${quote(user.name)} (groups=${quoteAll(user.groups)})`
  const message = `${caller} is attempting to grant RBAC permissions not currently held:\n${describeRules(missing)}`
  const errors = [...new Set(held.missing.map(({ name }) => createMissingRoleError(context, name).message))]
  if (errors.length === 0) return message
  return `${message}; resolution errors: [${errors.length === 1 ? errors[0] : `[${errors.join(', ')}]`}]`
}

/** Creates the error of a missing role. Like in kube-apiserver, it names the resource of the request, not that of the role. */
function createMissingRoleError({ attributes }: RequestContext, name: string): ApiError {
  return newNotFound({ group: attributes.apiGroup, resource: attributes.resource }, name)
}

function isAggregated(role: DeepReadonly<Role | ClusterRole> | undefined): boolean {
  return role !== undefined && 'aggregationRule' in role && (role.aggregationRule?.clusterRoleSelectors ?? []).length > 0
}

/**
 * Returns whether an update changes only owner references and finalizers. The garbage collector may do that without holding the role's
 * rules.
 */
function hasOnlyOwnershipChanges(object: DeepReadonly<KubeObject>, old: DeepReadonly<KubeObject>): boolean {
  return equalsSemantically(withoutOwnership(object), withoutOwnership(old))
}

function withoutOwnership(object: DeepReadonly<KubeObject>): object {
  return { ...object, metadata: { ...object.metadata, ownerReferences: [], finalizers: [], managedFields: [] } }
}
