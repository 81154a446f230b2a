import type { PolicyRule } from '@keelson/api/rbac/v1'
import { quote } from '@keelson/apimachinery'
import type { DeepReadonly } from '@keelson/apimachinery'
import { RuleIndex } from './rule-index.ts'

/** A Role or ClusterRole. It may not exist yet: a binding can name a missing role. */
export class RoleSlot {
  readonly kind: string
  /** "" for cluster roles. */
  readonly namespace: string
  readonly name: string
  /** The rules of the role; undefined while the role does not exist. */
  rules: readonly DeepReadonly<PolicyRule>[] | undefined
  /** Number of bindings that name the role. */
  bindings = 0
  /**
   * Serial number of the last decision in which the role did not allow the action. Users often have the same role through many bindings, so
   * this avoids evaluating it again.
   */
  refusedIn = 0
  #index: RuleIndex | undefined

  constructor(kind: string, namespace: string, name: string) {
    this.kind = kind
    this.namespace = namespace
    this.name = name
  }

  setRules(rules: readonly DeepReadonly<PolicyRule>[] | undefined): void {
    this.rules = rules
    this.#index = undefined
  }

  /** Index of the rules, built on first use because most roles are never evaluated. Undefined while the role does not exist. */
  get index(): RuleIndex | undefined {
    if (this.rules === undefined) return undefined
    return (this.#index ??= new RuleIndex(this.rules))
  }

  /** The error of a binding to a role that does not exist. */
  get problem(): string {
    if (this.kind === 'Role') return `role.rbac.authorization.k8s.io ${quote(this.name)} not found`
    if (this.kind === 'ClusterRole') return `clusterrole.rbac.authorization.k8s.io ${quote(this.name)} not found`
    return `unsupported role reference kind: ${quote(this.kind)}`
  }
}

/** Roles by namespace and name. A `RoleSlot` is kept while the role exists or a binding names it. */
export class RoleTable {
  readonly #namespaces = new Map<string, Map<string, RoleSlot>>()
  /** Version number that increases when the rules of any role change. */
  version = 0

  /**
   * Returns the `RoleSlot` of the role that a binding refers to, and increments its number of bindings. `namespace` is that of the binding;
   * "" for a ClusterRoleBinding.
   */
  bind(kind: string, namespace: string, name: string): RoleSlot {
    const slot = this.#getSlot(kind, kind === 'ClusterRole' ? '' : namespace, name)
    slot.bindings++
    return slot
  }

  unbind(slot: RoleSlot): void {
    slot.bindings--
    this.#release(slot)
  }

  /** Sets the rules of a role. Undefined means that the role was deleted. */
  set(kind: 'Role' | 'ClusterRole', role: { readonly namespace: string; readonly name: string }, rules: RoleSlot['rules']): void {
    const slot = this.#getSlot(kind, role.namespace, role.name)
    slot.setRules(rules)
    this.version++
    this.#release(slot)
  }

  #getSlot(kind: string, namespace: string, name: string): RoleSlot {
    const scope = `${kind}/${namespace}`
    let roles = this.#namespaces.get(scope)
    if (roles === undefined) this.#namespaces.set(scope, (roles = new Map()))
    let slot = roles.get(name)
    if (slot === undefined) roles.set(name, (slot = new RoleSlot(kind, namespace, name)))
    return slot
  }

  #release(slot: RoleSlot): void {
    if (slot.bindings > 0 || slot.rules !== undefined) return
    const scope = `${slot.kind}/${slot.namespace}`
    const roles = this.#namespaces.get(scope)
    roles?.delete(slot.name)
    if (roles?.size === 0) this.#namespaces.delete(scope)
  }
}
