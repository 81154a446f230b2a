import type { ClusterRole, PolicyRule, Role, RoleRef } from '@keelson/api/rbac/v1'
import { newForbidden, semanticEqual } from '@keelson/apimachinery'
import type { DeepReadonly, KubeObject, RequestContext } from '@keelson/apimachinery'
import type { StoreHooks } from '@keelson/registry'
import type { Binding } from './bindings.ts'

const group = 'rbac.authorization.k8s.io'
const masters = 'system:masters'
const everything: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
]

/** What an authorizer by roles knows, so that nobody gives away more than he has. */
export interface RoleAuthority {
  /** Whether the one who asks may do this to a role, whatever it contains. */
  allows(context: RequestContext, verb: 'escalate' | 'bind', role: RoleName): Promise<boolean>
  /** Why the one who asks does not have all of `rules` himself; undefined when he does. */
  missing(context: RequestContext, rules: readonly DeepReadonly<PolicyRule>[]): Promise<string | undefined>
  /** Throws the NotFound of a role that is not there. */
  rulesOf(role: DeepReadonly<RoleRef>, namespace: string): Promise<readonly DeepReadonly<PolicyRule>[]>
}

export interface RoleName {
  readonly resource: 'roles' | 'clusterroles'
  readonly name: string
  readonly namespace: string
}

/** For `roles` and `clusterroles`: a role may contain what its writer may do, or anything for who may escalate. */
export function roleHooks(authority: RoleAuthority, resource: 'roles' | 'clusterroles'): StoreHooks<Role | ClusterRole> {
  async function check(context: RequestContext, role: Role | ClusterRole, old?: DeepReadonly<Role | ClusterRole>): Promise<void> {
    const { namespace, user, info } = context
    if (user.groups.includes(masters) || (await authority.allows(context, 'escalate', { resource, name: info.name, namespace }))) return
    if (old !== undefined && changesOnlyOwnership(role, old)) return
    const refuse = (message: string | undefined): void => {
      if (message !== undefined) throw newForbidden({ group, resource }, role.metadata.name ?? '', message)
    }
    refuse(await authority.missing(context, role.rules ?? []))
    if (!isAggregated(role) && !isAggregated(old)) return
    const lacking = await authority.missing(context, everything)
    refuse(lacking && 'must have cluster-admin privileges to use the aggregationRule')
  }
  return hooks(check)
}

/** For both kinds of bindings: what is bound must be the binder's, or he may bind that role. */
export function bindingHooks(authority: RoleAuthority, resource: 'rolebindings' | 'clusterrolebindings'): StoreHooks<Binding> {
  async function check(context: RequestContext, binding: Binding, old?: DeepReadonly<Binding>): Promise<void> {
    const { user, namespace } = context
    if (user.groups.includes(masters) || (old !== undefined && changesOnlyOwnership(binding, old))) return
    const { roleRef, metadata } = binding
    const kinds: Readonly<Record<string, RoleName['resource']>> = { Role: 'roles', ClusterRole: 'clusterroles' }
    const bound = kinds[roleRef.kind]
    if (bound !== undefined && (await authority.allows(context, 'bind', { resource: bound, name: roleRef.name, namespace }))) return
    const message = await authority.missing(context, await authority.rulesOf(roleRef, namespace))
    if (message !== undefined) throw newForbidden({ group, resource }, metadata.name ?? '', message)
  }
  return hooks(check)
}

function hooks<T extends KubeObject>(check: (context: RequestContext, object: T, old?: DeepReadonly<T>) => Promise<void>): StoreHooks<T> {
  const nothing = (): void => {}
  return {
    async beginCreate(context, object) {
      await check(context, object)
      return nothing
    },
    async beginUpdate(context, object, old) {
      await check(context, object, old)
      return nothing
    },
  }
}

function isAggregated(role: DeepReadonly<Role | ClusterRole> | undefined): boolean {
  return role !== undefined && 'aggregationRule' in role && (role.aggregationRule?.clusterRoleSelectors ?? []).length > 0
}

/** The garbage collector takes owners and finalizers off roles that it may not write. */
function changesOnlyOwnership(object: DeepReadonly<KubeObject>, old: DeepReadonly<KubeObject>): boolean {
  return semanticEqual(withoutOwnership(object), withoutOwnership(old))
}

function withoutOwnership(object: DeepReadonly<KubeObject>): object {
  return { ...object, metadata: { ...object.metadata, ownerReferences: [], finalizers: [], managedFields: [] } }
}
