import type { RoleRef, Subject } from '@keelson/api/rbac/v1'
import { quote } from '@keelson/apimachinery'
import type { DeepReadonly, RequestedAction, UserInfo } from '@keelson/apimachinery'
import type { Decision } from '../authorizer.ts'
import type { RoleSlot } from './role-table.ts'

/** The fields of a ClusterRoleBinding (`namespace` is "") or of a RoleBinding that decisions need. */
export interface BindingFacts {
  readonly namespace: string
  readonly name: string
  readonly roleRef: DeepReadonly<RoleRef>
  readonly subjects: readonly DeepReadonly<Subject>[]
}

/** A binding with its role and its cached decisions. */
export class Grant {
  readonly binding: BindingFacts
  readonly role: RoleSlot
  /** Decision for each subject, created on first use. Caching avoids an allocation per request. */
  #decisions: Decision[] | undefined

  constructor(binding: BindingFacts, role: RoleSlot) {
    this.binding = binding
    this.role = role
  }

  /** Returns the decision that allows the user. Its reason names the first subject that is the user or one of the user's groups. */
  decisionFor(user: UserInfo): Decision {
    const { subjects, namespace } = this.binding
    let i = 0
    while (i < subjects.length - 1 && !appliesTo(subjects[i]!, namespace, user)) i++
    this.#decisions ??= []
    return (this.#decisions[i] ??= { decision: 'allow', reason: `RBAC: allowed by ${describeGrant(this.binding, subjects[i]!)}` })
  }
}

function describeGrant({ namespace, name, roleRef }: BindingFacts, subject: DeepReadonly<Subject>): string {
  const binding = namespace === '' ? `ClusterRoleBinding ${quote(name)}` : `RoleBinding ${quote(`${name}/${namespace}`)}`
  const { kind, name: subjectName, namespace: subjectNamespace } = subject
  const printed = kind === 'ServiceAccount' ? `${subjectName}/${subjectNamespace || namespace}` : subjectName
  return `${binding} of ${roleRef.kind} ${quote(roleRef.name)} to ${kind} ${quote(printed)}`
}

function appliesTo(subject: DeepReadonly<Subject>, bindingNamespace: string, user: UserInfo): boolean {
  if (subject.kind === 'Group') return user.groups.includes(subject.name)
  return formatUserName(subject, bindingNamespace) === user.name
}

/** Returns the name of the user that a subject refers to; undefined for groups, and for service accounts without a namespace. */
function formatUserName({ kind, name, namespace: subjectNamespace }: DeepReadonly<Subject>, bindingNamespace: string): string | undefined {
  if (kind === 'User') return name
  if (kind !== 'ServiceAccount') return undefined
  const namespace = subjectNamespace || bindingNamespace
  return namespace === '' ? undefined : `system:serviceaccount:${namespace}:${name}`
}

/** Up to this number, scanning all grants is as fast as looking up the relevant ones. */
const fewGrants = 2
/** Maximum number of resources for which grants are cached. Clients choose the resources of their requests, so the cache needs a bound. */
const maxResources = 32

/** The grants of one user or group. Users can have many bindings, so the grants with rules about a resource are cached by resource. */
export class SubjectGrants {
  #grants: Grant[] = []
  #relevant: Map<string, readonly Grant[]> | undefined
  #rolesVersion = 0

  get all(): readonly Grant[] {
    return this.#grants
  }

  add(grant: Grant): void {
    this.#grants.push(grant)
    this.#relevant = undefined
  }

  remove(grant: Grant): void {
    this.#grants = this.#grants.filter((other) => other !== grant)
    this.#relevant = undefined
  }

  /**
   * Returns the grants that may allow the action, in the order in which they were added. The result can contain grants that do not. `rolesVersion` is the
   * version of the rules of all roles; a new version invalidates the cache.
   */
  relevantTo({ isResourceRequest, resource }: RequestedAction, rolesVersion: number): readonly Grant[] {
    // The resource of an ordinary request contains no slash, but a SubjectAccessReview can name any resource.
    if (this.#grants.length <= fewGrants || resource.includes('/')) return this.#grants
    if (this.#relevant === undefined || this.#rolesVersion !== rolesVersion || this.#relevant.size > maxResources) {
      this.#relevant = new Map()
      this.#rolesVersion = rolesVersion
    }
    const key = isResourceRequest ? resource : '/'
    let relevant = this.#relevant.get(key)
    if (relevant === undefined) {
      relevant = this.#grants.filter(({ role: { index } }) => (isResourceRequest ? index?.mentions(resource) : index?.hasPaths))
      this.#relevant.set(key, relevant)
    }
    return relevant
  }
}

/** The cluster role bindings, or the role bindings of one namespace, indexed by user and by group. */
export class GrantTable {
  readonly #users = new Map<string, SubjectGrants>()
  readonly #groups = new Map<string, SubjectGrants>()

  get isEmpty(): boolean {
    return this.#users.size === 0 && this.#groups.size === 0
  }

  ofUser(name: string): SubjectGrants | undefined {
    return this.#users.get(name)
  }

  ofGroup(name: string): SubjectGrants | undefined {
    return this.#groups.get(name)
  }

  add(grant: Grant): void {
    for (const [table, key] of this.#listPlaces(grant)) {
      let grants = table.get(key)
      if (grants === undefined) table.set(key, (grants = new SubjectGrants()))
      grants.add(grant)
    }
  }

  remove(grant: Grant): void {
    for (const [table, key] of this.#listPlaces(grant)) {
      const grants = table.get(key)
      grants?.remove(grant)
      if (grants?.all.length === 0) table.delete(key)
    }
  }

  /** Lists the tables and keys of a binding's subjects without duplicates. */
  #listPlaces({ binding }: Grant): readonly (readonly [Map<string, SubjectGrants>, string])[] {
    const users = new Set<string>()
    const groups = new Set<string>()
    for (const subject of binding.subjects) {
      if (subject.kind === 'Group') groups.add(subject.name)
      else {
        const name = formatUserName(subject, binding.namespace)
        if (name !== undefined) users.add(name)
      }
    }
    return [...Array.from(users, (name) => [this.#users, name] as const), ...Array.from(groups, (name) => [this.#groups, name] as const)]
  }
}
