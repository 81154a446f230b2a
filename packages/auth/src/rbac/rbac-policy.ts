import type { ClusterRole, ClusterRoleBinding, PolicyRule, Role, RoleBinding } from '@keelson/api/rbac/v1'
import type { DeepReadonly, KubeObject, UserInfo } from '@keelson/apimachinery'
import type { InformerEvent } from '@keelson/loopback'
import type { ObjectSources } from '../authorizer.ts'
import { Grant, GrantTable } from './grants.ts'
import { RoleTable } from './role-table.ts'
import type { RoleSlot } from './role-table.ts'

const group = 'rbac.authorization.k8s.io'

/** The rules that apply to a user, and the roles that the user's bindings name but that do not exist. */
export interface UserRules {
  readonly rules: readonly DeepReadonly<PolicyRule>[]
  readonly missing: readonly RoleSlot[]
}

/** All roles and bindings in a compiled form. Informer events update it in place. */
export class RbacPolicy {
  readonly cluster: GrantTable = new GrantTable()
  readonly #namespaces = new Map<string, GrantTable>()
  readonly #roles = new RoleTable()
  readonly #grants = new Map<string, Grant>()

  /** Version number that increases when the rules of any role change. */
  get rolesVersion(): number {
    return this.#roles.version
  }

  namespace(name: string): GrantTable | undefined {
    return this.#namespaces.get(name)
  }

  follow({ informers }: ObjectSources): void {
    informers.of<ClusterRole>({ group, resource: 'clusterroles' })?.subscribe((event) => this.#onRole('ClusterRole', event))
    informers.of<Role>({ group, resource: 'roles' })?.subscribe((event) => this.#onRole('Role', event))
    for (const resource of ['clusterrolebindings', 'rolebindings']) {
      informers.of<ClusterRoleBinding | RoleBinding>({ group, resource })?.subscribe((event) => this.#onBinding(event))
    }
  }

  /**
   * Lists the rules of a user. Rules of cluster role bindings come first, then those of the namespace, both sorted by the name of the
   * binding.
   */
  listRules(user: UserInfo, namespace: string): UserRules {
    const rules: DeepReadonly<PolicyRule>[] = []
    const missing: RoleSlot[] = []
    for (const table of [this.cluster, namespace === '' ? undefined : this.#namespaces.get(namespace)]) {
      for (const { role } of listGrants(table, user)) {
        if (role.rules === undefined) missing.push(role)
        else for (const rule of role.rules) rules.push(rule)
      }
    }
    return { rules, missing }
  }

  #onRole(kind: 'Role' | 'ClusterRole', { type, object }: InformerEvent<Role | ClusterRole>): void {
    this.#roles.set(kind, readKey(object), type === 'deleted' ? undefined : (object.rules ?? []))
  }

  #onBinding({ type, object }: InformerEvent<ClusterRoleBinding | RoleBinding>): void {
    const { namespace, name } = readKey(object)
    const key = `${namespace}/${name}`
    const old = this.#grants.get(key)
    if (old !== undefined) this.#remove(key, old)
    if (type === 'deleted') return
    const { roleRef, subjects = [] } = object
    const grant = new Grant({ namespace, name, roleRef, subjects }, this.#roles.bind(roleRef.kind, namespace, roleRef.name))
    this.#grants.set(key, grant)
    this.#getTable(namespace).add(grant)
  }

  #remove(key: string, grant: Grant): void {
    const { namespace } = grant.binding
    this.#grants.delete(key)
    const table = this.#getTable(namespace)
    table.remove(grant)
    if (namespace !== '' && table.isEmpty) this.#namespaces.delete(namespace)
    this.#roles.unbind(grant.role)
  }

  #getTable(namespace: string): GrantTable {
    if (namespace === '') return this.cluster
    let table = this.#namespaces.get(namespace)
    if (table === undefined) this.#namespaces.set(namespace, (table = new GrantTable()))
    return table
  }
}

function listGrants(table: GrantTable | undefined, user: UserInfo): Grant[] {
  if (table === undefined) return []
  const grants = new Set(table.ofUser(user.name)?.all)
  for (const name of user.groups) for (const grant of table.ofGroup(name)?.all ?? []) grants.add(grant)
  return [...grants].toSorted((a, b) => (a.binding.name < b.binding.name ? -1 : 1))
}

function readKey(object: DeepReadonly<KubeObject>): { readonly namespace: string; readonly name: string } {
  const { namespace = '', name = '' } = object.metadata
  return { namespace, name }
}
