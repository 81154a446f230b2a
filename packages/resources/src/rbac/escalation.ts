import type { ClusterRole, PolicyRule, Role, RoleRef } from '@keelson/api/rbac/v1'
import { mastersGroup, newForbidden, semanticEqual } from '@keelson/apimachinery'
import type { DeepReadonly, KubeObject, RequestContext } from '@keelson/apimachinery'
import type { StoreHooks } from '@keelson/registry'
import type { Binding } from './bindings.ts'

const group = 'rbac.authorization.k8s.io'
const allRules: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
]

/** Permission checks of the RBAC authorizer that prevent privilege escalation through roles and bindings. */
export interface RoleAuthority {
  /** True if the caller has this verb on the role, which skips the check of its rules. */
  allows(context: RequestContext, verb: 'escalate' | 'bind', role: RoleName): Promise<boolean>
  /** Returns an error message if the caller lacks any of `rules`. */
  missingRules(context: RequestContext, rules: readonly DeepReadonly<PolicyRule>[]): Promise<string | undefined>
  /** Throws NotFound if the role does not exist. */
  rulesOf(role: DeepReadonly<RoleRef>, namespace: string): Promise<readonly DeepReadonly<PolicyRule>[]>
}

export interface RoleName {
  readonly resource: 'roles' | 'clusterroles'
  readonly name: string
  readonly namespace: string
}

/** Hooks for roles and cluster roles: the writer must have every rule of the role, or the verb "escalate". */
export function roleHooks(authority: RoleAuthority, resource: 'roles' | 'clusterroles'): StoreHooks<Role | ClusterRole> {
  async function check(context: RequestContext, role: Role | ClusterRole, old?: DeepReadonly<Role | ClusterRole>): Promise<void> {
    const { namespace, user, info } = context
    if (user.groups.includes(mastersGroup) || (await authority.allows(context, 'escalate', { resource, name: info.name, namespace })))
      return
    if (old !== undefined && changesOnlyOwnership(role, old)) return
    const refuse = (message: string | undefined): void => {
      if (message !== undefined) throw newForbidden({ group, resource }, role.metadata.name ?? '', message)
    }
    refuse(await authority.missingRules(context, role.rules ?? []))
    if (!isAggregated(role) && !isAggregated(old)) return
    const missing = await authority.missingRules(context, allRules)
    refuse(missing && 'must have cluster-admin privileges to use the aggregationRule')
  }
  return hooksWith(check)
}

/** Hooks for both kinds of bindings: the writer must have every rule of the bound role, or the verb "bind" on it. */
export function bindingHooks(authority: RoleAuthority, resource: 'rolebindings' | 'clusterrolebindings'): StoreHooks<Binding> {
  async function check(context: RequestContext, binding: Binding, old?: DeepReadonly<Binding>): Promise<void> {
    const { user, namespace } = context
    if (user.groups.includes(mastersGroup) || (old !== undefined && changesOnlyOwnership(binding, old))) return
    const { roleRef, metadata } = binding
    const kinds: Readonly<Record<string, RoleName['resource']>> = { Role: 'roles', ClusterRole: 'clusterroles' }
    const bound = kinds[roleRef.kind]
    if (bound !== undefined && (await authority.allows(context, 'bind', { resource: bound, name: roleRef.name, namespace }))) return
    const message = await authority.missingRules(context, await authority.rulesOf(roleRef, namespace))
    if (message !== undefined) throw newForbidden({ group, resource }, metadata.name ?? '', message)
  }
  return hooksWith(check)
}

function hooksWith<T extends KubeObject>(
  check: (context: RequestContext, object: T, old?: DeepReadonly<T>) => Promise<void>,
): StoreHooks<T> {
  const noCompletion = (): void => {}
  return {
    async beginCreate(context, object) {
      await check(context, object)
      return noCompletion
    },
    async beginUpdate(context, object, old) {
      await check(context, object, old)
      return noCompletion
    },
  }
}

function isAggregated(role: DeepReadonly<Role | ClusterRole> | undefined): boolean {
  return role !== undefined && 'aggregationRule' in role && (role.aggregationRule?.clusterRoleSelectors ?? []).length > 0
}

/** True if only owner references and finalizers changed: the garbage collector may do that without holding the rules. */
function changesOnlyOwnership(object: DeepReadonly<KubeObject>, old: DeepReadonly<KubeObject>): boolean {
  return semanticEqual(withoutOwnership(object), withoutOwnership(old))
}

function withoutOwnership(object: DeepReadonly<KubeObject>): object {
  return { ...object, metadata: { ...object.metadata, ownerReferences: [], finalizers: [], managedFields: [] } }
}
